import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { generateMutants } from './generated-mutants'
import { MUTANTS, type Mutant, SURVIVORS } from './mutant-list'
import { exploreAll } from './pool'

/**
 * Changes the compiled code in one place after the other, and expects each change to be found, except those that are
 * known to break no promise.
 *
 * @param pattern a part of the names of those to try
 * @param names of the worlds in which each is looked for
 * @param milliseconds for each
 */
export async function runMutants(pattern: string, names: readonly string[], milliseconds: number): Promise<void> {
  const all = [...generateMutants(), ...MUTANTS]
  const mutants = all.filter(({ name }) => name.includes(pattern))
  const wrong = Object.keys(SURVIVORS)
    .filter((name) => !all.some((mutant) => mutant.name === name))
    .map((name) => `no such mutant: ${name}`)
  const folder = copyPackage()
  let found = 0
  for (const mutant of mutants) {
    const { [mutant.name]: reason } = SURVIVORS
    const report = await withChange(folder, mutant, () => firstDefect(folder, names, milliseconds))
    if (report !== undefined) found += 1
    if ((report === undefined) !== (reason !== undefined))
      wrong.push(
        report === undefined ? `not found: ${mutant.name}` : `found, although it should survive: ${mutant.name}`,
      )
    console.log(`\n# ${mutant.name}\n${report ?? `NOT FOUND: ${reason ?? 'why?'}`}`)
  }
  console.log(`\n${found} of ${mutants.length} mutants found`)
  for (const one of wrong) console.log(one)
  rmSync(folder, { recursive: true })
  if (wrong.length > 0) process.exitCode = 1
}

function copyPackage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'explore-'))
  const root = resolve(__dirname, '../../..')
  for (const part of ['package.json', 'dist/lib', 'dist/test/explore', 'test/fixtures'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

async function withChange<T>(folder: string, { file, change }: Mutant, work: () => Promise<T>): Promise<T> {
  const path = join(folder, 'dist/lib/login', `${file}.js`)
  const code = readFileSync(path, 'utf8')
  writeFileSync(path, change(code))
  try {
    return await work()
  } finally {
    writeFileSync(path, code)
  }
}

async function firstDefect(
  folder: string,
  names: readonly string[],
  milliseconds: number,
): Promise<string | undefined> {
  let report: string | undefined
  await exploreAll(join(folder, 'dist/test/explore'), names, milliseconds, ({ defect }) => {
    report ??= defect?.report
    return report === undefined
  })
  return report
}
