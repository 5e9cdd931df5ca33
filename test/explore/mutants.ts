import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CONFIGURATIONS } from './configuration'
import { MUTANTS, type Mutant } from './mutant-list'
import { Worker } from './pool'
import type { Result } from './worker'

const MILLISECONDS_PER_WORLD = 15_000

/**
 * Changes the compiled code in one place after the other, and expects each change to be found.
 *
 * @param pattern a part of the names of those to try
 */
export async function runMutants(pattern: string): Promise<void> {
  const mutants = MUTANTS.filter(({ name }) => name.includes(pattern))
  const folder = mkdtempSync(join(tmpdir(), 'explore-'))
  const root = resolve(__dirname, '../../..')
  for (const part of ['package.json', 'dist/lib', 'dist/test/explore', 'dist/test/support/model'])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  let found = 0
  for (const mutant of mutants) {
    const result = await explore(folder, mutant)
    if (result?.defect) found += 1
    console.log(`\n# ${mutant.name}\n${result?.defect?.report ?? 'NOT FOUND'}`)
  }
  console.log(`\n${found} of ${mutants.length} mutants found`)
  rmSync(folder, { recursive: true })
  if (found < mutants.length) process.exitCode = 1
}

async function explore(folder: string, { file, from, to, scene }: Mutant): Promise<Result | undefined> {
  const path = join(folder, 'dist/lib/login', `${file}.js`)
  const code = readFileSync(path, 'utf8')
  if (!code.includes(from)) throw new Error(`${file} has no ${from}`)
  writeFileSync(
    path,
    code.replace(from, () => to),
  )
  const worker = new Worker(join(folder, 'dist/test/explore'))
  try {
    for (const { name } of CONFIGURATIONS.filter((one) => one.name.startsWith(scene))) {
      const result = await worker.explore(name, MILLISECONDS_PER_WORLD)
      if (result.defect) return result
    }
    return undefined
  } finally {
    worker.stop()
    writeFileSync(path, code)
  }
}
