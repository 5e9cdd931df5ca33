// Takes away the guards of test/package/guards, one compiled file at a time, and runs the tests that must notice.
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

const WORKERS = Number(process.env.GUARD_WORKERS ?? 2)
// A mutant that makes a test wait for ever is noticed by that.
const TIMEOUT_MS = 60_000
const COPIED = new Set(['dist', 'package.json', 'tools'])
const IGNORED = new Set(['.git', 'coverage'])

/**
 * @param patterns parts of `FILE: NAME`; all, if there are none
 * @returns the exit code: 0 if each mutant was noticed, or is named with the reason
 */
export async function runGuardMutants(mutants, patterns) {
  const isChosen = ({ file, name }) => patterns.some((part) => `${file}: ${name}`.includes(part))
  const chosen = patterns.length === 0 ? mutants : mutants.filter(isChosen)
  const folders = Array.from({ length: WORKERS }, copyPackage)
  try {
    const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))]
    if (!(await passes(folders[0], tests, (test) => console.log(`fails: ${test}`))))
      throw new Error('a test fails without any mutant')
    const queue = [...chosen]
    const wrong = []
    // For the file that is changed, how often each file of tests has noticed it: the first are the likeliest to notice
    // again.
    const noticed = new Map()
    const work = async (folder) => {
      for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
        const counts = noticed.get(mutant.file) ?? new Map()
        noticed.set(mutant.file, counts)
        const tests = mutant.tests.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
        const onFailure = (test) => counts.set(test, (counts.get(test) ?? 0) + 1)
        const isNoticed = await withMutant(folder, mutant, async () => !(await passes(folder, tests, onFailure)))
        const name = `${mutant.file}: ${mutant.name}`
        if (isNoticed === (mutant.exempt !== undefined))
          wrong.push(isNoticed ? `noticed, although exempt: ${name}` : name)
        console.log(`${chosen.length - queue.length}/${chosen.length} ${isNoticed ? 'noticed' : 'NOT NOTICED'} ${name}`)
      }
    }
    await Promise.all(folders.map(work))
    const exempt = chosen.filter((mutant) => mutant.exempt).length
    console.log(`\n${chosen.length - exempt - wrong.length} noticed, ${exempt} exempt, ${wrong.length} wrong`)
    for (const name of wrong) console.log(`- ${name}`)
    return wrong.length === 0 ? 0 : 1
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true })
  }
}

/** What is changed is copied, the rest linked to. */
function copyPackage() {
  const root = resolve(import.meta.dirname, '..')
  const folder = mkdtempSync(join(tmpdir(), 'guards-'))
  for (const name of readdirSync(root)) {
    if (COPIED.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
    else if (!IGNORED.has(name)) symlinkSync(join(root, name), join(folder, name))
  }
  return folder
}

async function withMutant(folder, { file, from, to }, work) {
  const path = join(folder, 'dist/lib', `${file}.js`)
  const code = readFileSync(path, 'utf8')
  if (code.split(from).length !== 2) throw new Error(`${file} does not have exactly once: ${from}`)
  writeFileSync(
    path,
    code.replace(from, () => to),
  )
  try {
    return await work()
  } finally {
    writeFileSync(path, code)
  }
}

/** Whether all these files of tests pass, which run in this order up to the first that fails. */
function passes(folder, tests, onFailure) {
  return new Promise((done) => {
    const files = tests.map((test) => join(folder, 'dist/test', `${test}.test.js`))
    const args = [
      'node_modules/jest/bin/jest.js',
      '--runInBand',
      '--bail',
      '--silent',
      '--testTimeout=8000',
      '--testSequencer=./tools/given-order.cjs',
      '--runTestsByPath',
      ...files,
    ]
    const env = { ...process.env, TEST_FILES: files.join('\n') }
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    })
    let report = ''
    child.stderr.on('data', (chunk) => {
      report += stripVTControlCharacters(String(chunk))
    })
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), TIMEOUT_MS + tests.length * 15_000)
    child.on('close', (code) => {
      clearTimeout(timer)
      for (const [, test] of report.matchAll(/^FAIL .*dist\/test\/(\S+)\.test\.js/gm)) onFailure(test)
      done(code === 0)
    })
  })
}
