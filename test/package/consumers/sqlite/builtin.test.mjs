// The same tests with the SQLite of Node, from the version in which it needs no flag.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const [major, minor] = process.versions.node.split('.').map(Number)
const LIBSQL = "import Database from 'libsql'"
const BUILT_IN = "import { DatabaseSync as Database } from 'node:sqlite'"

if (major > 22 || (major === 22 && minor >= 13)) {
  mkdirSync('builtin', { recursive: true })
  const code = readFileSync('accounts.mjs', 'utf8')
  if (!code.includes(LIBSQL)) throw new Error('accounts.mjs does not import libsql')
  writeFileSync('builtin/accounts.mjs', code.replace(LIBSQL, BUILT_IN))
  cpSync('accounts.test.mjs', 'builtin/accounts.test.mjs')
  execFileSync(process.execPath, ['accounts.test.mjs'], { cwd: 'builtin' })
}
console.log('ok')
