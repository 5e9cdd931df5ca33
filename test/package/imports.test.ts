import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const FRAMEWORKS = /^(passport|passport-oauth2|express|connect|express-session)$/

// What each part may import besides its own files; and `limits`, which imports nothing.
const LIBRARY: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['passport', 'login', 'client', 'errors.ts', 'diagnostics.ts'],
  passport: ['login', 'client', 'errors.ts', 'diagnostics.ts', 'warnings.ts'],
  web: ['login', 'client', 'errors.ts', 'diagnostics.ts'],
  login: ['client', 'errors.ts', 'diagnostics.ts', 'warnings.ts', 'explain'],
  explain: ['errors.ts'], // it decides nothing: it says why, from what it is told
  client: ['errors.ts', 'diagnostics.ts', 'warnings.ts', 'explain'],
  doctor: ['client', 'errors.ts', 'command-line.ts'],
  testing: ['login', 'command-line.ts'], // of login types only: see below
  'cli.ts': ['doctor', 'testing', 'command-line.ts'],
  'command-line.ts': [],
  'diagnostics.ts': ['errors.ts', 'explain'],
  'errors.ts': [],
  'values.ts': [],
  'promises.ts': [],
  'limits.ts': [],
  'warnings.ts': ['errors.ts'],
}

// From the lowest to the highest; what runs a login is at the top.
const LOGIN_FOLDERS = ['pages', 'request', 'pending-login', 'providers']
const rankOf = (folder: string): number => [...LOGIN_FOLDERS, 'the top'].indexOf(folder)

// Storage does not depend on requests, and views only on what they show.
const EXAMPLE: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['app.ts', 'auth', 'config.ts', 'session-secret.ts', 'storage', 'web'],
  'app.ts': ['account', 'auth', 'storage', 'web'],
  'config.ts': [],
  'session-secret.ts': ['config.ts', 'storage'],
  account: ['auth', 'web', 'views', 'storage'],
  auth: ['config.ts', 'web', 'views', 'storage'],
  web: ['config.ts', 'views', 'storage'],
  views: ['storage'],
  storage: [],
}

/** The TypeScript files of a folder, and what they import, types included. */
class Sources {
  readonly files: readonly string[]
  readonly #root: string

  constructor(folder: string) {
    this.#root = resolve(__dirname, '../../..', folder)
    const names = readdirSync(this.#root, { recursive: true, encoding: 'utf8' })
    this.files = names.filter((name) => name.endsWith('.ts'))
  }

  read(file: string): string {
    return readFileSync(join(this.#root, file), 'utf8')
  }

  /** The names in the import and export statements of a file, on one line or on several. */
  importsOf(file: string): string[] {
    return [...this.read(file).matchAll(/^(?:import\b|export (?:type )?[{*]|\} from)[^'\n]*'([^']+)'/gm)].map(
      ([, name = '']) => name,
    )
  }

  /** The files of the same folder that a file imports. */
  filesImportedBy(file: string): string[] {
    const local = this.importsOf(file).filter((name) => name.startsWith('.'))
    return local.map((name) => this.#fileAt(relative(this.#root, resolve(this.#root, dirname(file), name))))
  }

  /** The import cycle from a file back to itself. */
  circleThrough(start: string): string | undefined {
    const ways = [[start]]
    const seen = new Set<string>()
    for (const way of ways) {
      for (const next of this.filesImportedBy(way.at(-1) ?? start)) {
        if (next === start) return [...way, next].join(' imports ')
        if (!seen.has(next)) ways.push([...way, next])
        seen.add(next)
      }
    }
    return undefined
  }

  #fileAt(path: string): string {
    const found = this.files.find((file) => file === `${path}.ts` || file === join(path, 'index.ts'))
    if (found === undefined) throw new Error(`nothing is at ${path}`)
    return found
  }
}

/** The part of the folder that a file belongs to: its subfolder, or itself if it is not in one. */
const partOf = (file: string): string => file.split('/', 1).join()

const library = new Sources('lib')
const example = new Sources('example-app')

test.each([
  ['lib', library],
  ['example-app', example],
])('every import of %s is read', (_folder, sources) => {
  expect(sources.files.length).toBeGreaterThan(25)
  for (const file of sources.files) {
    const statements = sources.read(file).match(/^import\b|^export (type )?[{*]/gm) ?? []
    expect([file, sources.importsOf(file).length]).toStrictEqual([file, statements.length])
  }
})

test.each([
  [
    'lib: passport and web, login, client, errors and diagnostics',
    library,
    LIBRARY,
    ['limits.ts', 'promises.ts', 'values.ts'],
  ],
  ['example-app: account, auth, web, views and storage', example, EXAMPLE, []],
])('imports point downwards in %s', (_name, sources, allowed, lowest: readonly string[]) => {
  const against = sources.files.flatMap((file) =>
    sources
      .filesImportedBy(file)
      .filter((other) => partOf(other) !== partOf(file) && !lowest.includes(other))
      .filter((other) => !allowed[partOf(file)]?.includes(partOf(other)))
      .map((other) => `${file} imports ${other}`),
  )
  expect(against).toStrictEqual([])
})

test('a folder of login/ imports the folders below it, and nothing from the top', () => {
  const folderOf = (file: string): string => file.split('/').slice(1, -1).at(0) ?? 'the top'
  const inLogin = library.files.filter((file) => file.startsWith('login/'))
  expect([...new Set(inLogin.map(folderOf))].sort()).toStrictEqual([...LOGIN_FOLDERS, 'the top'].sort())
  const upwards = inLogin.flatMap((file) =>
    library
      .filesImportedBy(file)
      .filter((other) => other.startsWith('login/') && rankOf(folderOf(other)) > rankOf(folderOf(file)))
      .map((other) => `${file} imports ${other}`),
  )
  expect(upwards).toStrictEqual([])
})

test.each([
  ['lib', library],
  ['example-app', example],
])('%s has no import cycles, not even of types', (_name, sources) => {
  expect(sources.files.flatMap((file) => sources.circleThrough(file) ?? [])).toStrictEqual([])
})

test('`npm start` installs whatever lib and example-app import', () => {
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(resolve(__dirname, '../../../package.json'), 'utf8'),
  )
  const installed = Object.keys({ ...dependencies, ...devDependencies })
  const imported = [library, example].flatMap((sources) => sources.files.flatMap((file) => sources.importsOf(file)))
  const packages = imported.filter((name) => !/^(\.|node:|passport-social-login)/.test(name))
  const names = packages.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
  expect(names).toContain('express')
  expect(
    [...new Set(names)].filter((name) => !installed.includes(name) && !installed.includes(`@types/${name}`)),
  ).toStrictEqual([])
})

test('testing/ imports only types from the rest of lib', () => {
  const statements = library.files
    .filter((file) => file.startsWith('testing/'))
    .flatMap((file) => [...library.read(file).matchAll(/^import\b[^']*'(?:\.\.\/)+login\/[^']+'$/gm)])
  expect(statements.length).toBeGreaterThan(2)
  for (const [statement] of statements) expect(statement).toMatch(/^import type /)
})

test('nothing below passport/ imports a framework', () => {
  const known = library.files
    .filter((file) => !file.startsWith('passport/'))
    .flatMap((file) =>
      library
        .importsOf(file)
        .filter((name) => FRAMEWORKS.test(name))
        .map((name) => `${file} imports ${name}`),
    )
  expect(known).toStrictEqual([])
})

test('the library loads undici by its file, because Bun replaces its name by a stub', () => {
  const importsOf = (pattern: RegExp) => library.files.filter((file) => pattern.test(library.read(file)))
  expect(importsOf(/^import (?!type\b)[^\n]* from 'undici'$/m)).toStrictEqual([])
  expect(importsOf(/^import [^\n]* from 'undici\/index.js'$/m)).toContain('client/http/connection.ts')
})

test('CONTRIBUTING.md names the files of a login: each is imported by one before it', () => {
  const contributing = readFileSync(resolve(__dirname, '../../../CONTRIBUTING.md'), 'utf8')
  const [, section = ''] = /## The code\n(.*?)\n## /s.exec(contributing) ?? []
  const files = Array.from(section.matchAll(/^- `([\w/-]+\.ts)` /gm), ([, file = '']) => file)
  expect([files[0], files.at(-1)]).toStrictEqual(['passport/strategy.ts', 'passport/actions.ts'])
  const imported = new Set<string>(files.slice(0, 1))
  for (const file of files) {
    expect([file, imported.has(file)]).toStrictEqual([file, true])
    for (const other of library.filesImportedBy(file)) imported.add(other)
  }
})
