import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../../..')
const tsc = join(root, 'node_modules/typescript/bin/tsc')

test.each(['example-app', 'test/package/docs'])('%s compiles as an ordinary application', (folder) => {
  expect(spawnSync(process.execPath, [tsc, '-p', join(root, folder)], { encoding: 'utf8' }).stdout).toBe('')
})

test('what `npm start` compiles compiles', () => {
  const args = [tsc, '-p', join(root, 'tsconfig.start.json'), '--noEmit', '--incremental', 'false']
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect([stdout, status]).toStrictEqual(['', 0])
})

test.each(['none', '{ "compilerOptions": { "module": "esnext", "noEmit": true } }'])(
  'the small application compiles as the README says, beside a tsconfig.json: %s',
  (config) => {
    const [, line = ''] = /^npx tsc (app\.ts [^&]*) &&/m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    const folder = mkdtempSync(join(root, 'dist/readme-'))
    copyFileSync(join(root, 'example-app/minimal.ts'), join(folder, 'app.ts'))
    if (config !== 'none') writeFileSync(join(folder, 'tsconfig.json'), config)
    const args = [tsc, ...line.trim().split(' ')]
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    const isThere = existsSync(join(folder, 'app.js'))
    rmSync(folder, { recursive: true })
    expect([stdout, status, isThere]).toStrictEqual(['', 0, true])
  },
)

test('the linking routes for JavaScript are the typed ones without their types', () => {
  const folder = mkdtempSync(join(root, 'dist/linking-'))
  copyFileSync(join(root, 'docs/files/linking.ts'), join(folder, 'linking.mts'))
  const options = ['--ignoreConfig', '--module', 'nodenext', '--target', 'esnext', '--noCheck']
  spawnSync(process.execPath, [tsc, 'linking.mts', ...options], { cwd: folder })
  const [compiled, copied] = [join(folder, 'linking.mjs'), join(root, 'docs/files/linking.mjs')].map(codeOf)
  rmSync(folder, { recursive: true })
  expect(copied).toBe(compiled)
})

describe('the accounts in SQLite, in TypeScript', () => {
  const files = join(root, 'docs/files')
  const PAGE = readFileSync(join(root, 'docs/guides/accounts.md'), 'utf8')
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(root, 'dist/accounts-'))
    copyFileSync(join(files, 'sqlite-accounts.mjs'), join(folder, 'accounts.mjs'))
    copyFileSync(join(files, 'sqlite-accounts.d.mts'), join(folder, 'accounts.d.mts'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function compile(file: string, code: string, ...options: string[]): [output: string, status: number | null] {
    writeFileSync(join(folder, file), code)
    const args = [tsc, file, '--ignoreConfig', '--module', 'nodenext', '--strict', '--noEmit', ...options]
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    return [stdout, status]
  }

  test('are used by the small application as the page says', () => {
    const [, block = ''] = /^(import .*\nimport .*\nimport { openAccounts[\s\S]*?)^```$/m.exec(PAGE) ?? []
    const [parameter = ''] = /\(id: string, done\)/.exec(PAGE) ?? []
    const [, openAndUse = ''] = /\n\n([\s\S]*)/.exec(block.replace('(id, done)', parameter)) ?? []
    const app = readFileSync(join(root, 'example-app/minimal.ts'), 'utf8')
      .replace(/^passport\.use[\s\S]*?^passport\.deserializeUser.*\n/m, openAndUse)
      .replace('\n\n', "\nimport { openAccounts } from './accounts.mjs'\n\n")
    expect(app).toContain("const accounts = openAccounts('app.db')")
    expect(compile('app.ts', app)).toStrictEqual(['', 0])
  })

  test('have the types of their file', () => {
    copyFileSync(join(files, 'sqlite-accounts.mjs'), join(folder, 'actual.mjs'))
    // Each is assigned to the other, so that a name or a parameter that only one of them has is an error.
    const code = `
      import * as declared from './accounts.mjs'
      import * as actual from './actual.mjs'
      type Accounts = Omit<ReturnType<typeof actual.openAccounts>, 'close'> // libsql returns the database from it
      export const ofTheFile: typeof declared = actual
      export const ofTheTypes: { openAccounts: (file: string) => Accounts } & Pick<typeof actual, 'inTransaction'> = declared`
    expect(compile('check.mts', code, '--allowJs', '--noImplicitAny', 'false')).toStrictEqual(['', 0])
  })
})

test('the sessions in SQLite have the types of a store of express-session', () => {
  const folder = mkdtempSync(join(root, 'dist/sessions-'))
  copyFileSync(join(root, 'docs/files/sqlite-sessions.d.mts'), join(folder, 'sessions.d.mts'))
  const code = `
    import session from 'express-session'
    import { SessionStore } from './sessions.mjs'
    const store = new SessionStore('app.db')
    store.endOthers('1', 'a')
    export const sessions = session({ store, secret: 'a secret', resave: false, saveUninitialized: false })`
  writeFileSync(join(folder, 'app.mts'), code)
  const args = [tsc, 'app.mts', '--ignoreConfig', '--module', 'nodenext', '--strict', '--noEmit', '--target', 'es2022']
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect(stdout).toBe('')
})

/** The code of a file without spaces, and without what a formatter chooses: tsc has neither blank lines nor our commas. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replaceAll(/[\s;,]/g, '')
}
