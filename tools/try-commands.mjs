// Runs the commands that a developer types first, and ends them when they have printed an address: for systems on which
// the tests of processes do not run. Needs no shell. `node tools/try-commands.mjs`, after `npm run build`.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const data = mkdtempSync(join(tmpdir(), 'try-commands-'))
const CLI = join(root, 'dist/lib/cli.js')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const [, START = ''] = /-e "(.*)"$/.exec(scripts.start) ?? []

/** Resolves when a program has printed this; rejects when it ends before. */
function printed(pattern, args, environment = {}) {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...environment } })
  let output = ''
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        if (pattern.test(output)) child.kill()
      })
    }
    child.once('close', () => (pattern.test(output) ? resolve() : reject(new Error(`${args.join(' ')}\n${output}`))))
  })
}

const ADDRESS = /http:\/\/(localhost|127\.0\.0\.1):\d+/
try {
  await printed(ADDRESS, [CLI, 'provider', '--port', '0'])
  await printed(/--login/, [CLI, 'doctor', '--help'])
  await printed(/Example application: http/, ['-e', START], {
    PORT: '0',
    PROVIDER_PORT: '0',
    DATA_DIR: data,
    NO_COLOR: '1',
  })
  console.log('ok')
} finally {
  rmSync(data, { recursive: true, force: true, maxRetries: 10 })
}
