import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = resolve(__dirname, '../../../lib')

/** The part of `lib/` that a file belongs to: its folder, or itself where it lies beside them. */
const partOf = (file: string): string => file.split('/', 1).join()

// What each part may import beside its own files. `errors` and `diagnostics` know nothing but each other.
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'index.ts': ['passport', 'login', 'client', 'errors.ts', 'diagnostics.ts'],
  passport: ['login', 'client', 'errors.ts', 'diagnostics.ts'],
  login: ['client', 'errors.ts', 'diagnostics.ts'],
  client: ['errors.ts', 'diagnostics.ts'],
  testing: [],
  'diagnostics.ts': ['errors.ts'],
  'errors.ts': [],
}

const FRAMEWORKS = /^(passport|passport-oauth2|express|connect|express-session)$/

/** What a source file imports, types included. */
function importsOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  return [...source.matchAll(/^(?:import|export|\} from)\b[^'\n]*'([^']+)'|^\} from '([^']+)'/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  )
}

/** The files of `lib/` that a file imports. */
function filesImportedBy(file: string): string[] {
  const local = importsOf(file).filter((name) => name.startsWith('.'))
  return local.map((name) => relative(ROOT, resolve(ROOT, dirname(file), name))).map(fileOf)
}

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

function fileOf(path: string): string {
  const found = files.find((file) => file === `${path}.ts` || file === join(path, 'index.ts'))
  if (found === undefined) throw new Error(`nothing is at ${path}`)
  return found
}

test('there is something to look at', () => {
  expect(files.length).toBeGreaterThan(40)
  expect(filesImportedBy('passport/strategy.ts')).toContain('login/login.ts')
  expect(filesImportedBy('client/options.ts')).toContain('client/http/dispatcher.ts')
})

test('imports lead downwards: passport, login, client, errors and diagnostics', () => {
  const against = files.flatMap((file) =>
    filesImportedBy(file)
      .filter((other) => partOf(other) !== partOf(file) && !ALLOWED[partOf(file)]?.includes(partOf(other)))
      .map((other) => `${file} imports ${other}`),
  )
  expect(against).toEqual([])
})

test('below passport/ no framework is known', () => {
  const known = files
    .filter((file) => !file.startsWith('passport/'))
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => FRAMEWORKS.test(name))
        .map((name) => `${file} imports ${name}`),
    )
  expect(known).toEqual([])
})

test('no file imports itself over others, not even types', () => {
  expect(files.flatMap((file) => circleThrough(file) ?? [])).toEqual([])
})

/** The way from a file back to itself. */
function circleThrough(start: string): string | undefined {
  const ways = [[start]]
  const seen = new Set<string>()
  for (const way of ways) {
    for (const next of filesImportedBy(way.at(-1) ?? start)) {
      if (next === start) return [...way, next].join(' imports ')
      if (!seen.has(next)) ways.push([...way, next])
      seen.add(next)
    }
  }
  return undefined
}
