import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { exportsOf, sources } from '../sources'

const root = join(__dirname, '../../../..')

/** A new folder with the packed tarball installed, as a user has it. */
let folder: string

function run(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}\n${stderr}`)
  return stdout
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'passport-social-login-'))
  // The tests run in dist: packing must not rebuild it meanwhile.
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: root,
  })
  const tarball = packed.toString().trim()
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`)
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('contains only the library and its documents', () => {
  const [{ files }] = JSON.parse(
    execFileSync('npm', ['pack', '--ignore-scripts', '--dry-run', '--json'], { cwd: root, encoding: 'utf8' }),
  )
  const paths = Array.from<{ path: string }>(files).map(({ path }) => path)
  const papers = paths.filter((path) => !path.startsWith('dist/lib/') && !/^docs\/(guides\/)?[\w-]+\.md$/.test(path))
  expect(papers.sort()).toStrictEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'bench/results/chart.svg',
    'docs/files/Dockerfile',
    'docs/files/app.mjs',
    'docs/files/compose.yaml',
    'docs/files/drizzle-accounts.mjs',
    'docs/files/durable-object.mjs',
    'docs/files/express-postgres.mjs',
    'docs/files/express-sqlite.mjs',
    'docs/files/express-sqlite.test.mjs',
    'docs/files/inert-form.mjs',
    'docs/files/limit-guesses.ts',
    'docs/files/linking.mjs',
    'docs/files/linking.ts',
    'docs/files/native.ts',
    'docs/files/opentelemetry.mjs',
    'docs/files/redis-store.ts',
    'docs/files/sqlite-accounts.d.mts',
    'docs/files/sqlite-accounts.mjs',
    'docs/files/sqlite-sessions.d.mts',
    'docs/files/sqlite-sessions.mjs',
    'docs/login.svg',
    'example-app/minimal.ts',
    'example-app/screenshots/start-1-sign-in.png',
    'example-app/screenshots/start-2-provider.png',
    'example-app/screenshots/start-3-profile.png',
    'package.json',
  ])
  const inLibrary = paths.filter((path) => path.startsWith('dist/lib/'))
  expect(inLibrary.filter((path) => !/\.(js|d\.ts)$/.test(path))).toStrictEqual([])
  for (const page of paths.filter((path) => path.endsWith('.md'))) {
    const links = readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)
    for (const [, link = ''] of links) expect(paths).toContain(join(dirname(page), link))
  }
})

test('gives CommonJS and ES modules the same class', () => {
  writeFileSync(
    join(folder, 'both.mjs'),
    `
    import { createRequire } from 'node:module'
    import { Strategy, SocialLoginClient } from 'passport-social-login'
    import { FakeProvider } from 'passport-social-login/testing'
    const required = createRequire(import.meta.url)('passport-social-login')
    const provider = await FakeProvider.start()
    await provider.stop()
    console.log(required.Strategy === Strategy, required.SocialLoginClient === SocialLoginClient, 'default' in required)
  `,
  )
  expect(run(process.execPath, 'both.mjs').trim()).toBe('true true false')
})

test('the command tells the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(run('npx', 'passport-social-login', '--version')).toBe(`${version}\n`)
  expect(run('npx', 'passport-social-login', '--help')).toMatch(/^ {2}--version /m)
})

/** Writes the examples of doc comments as modules: each has names of its own, and may await. @returns the files */
function writeExamples(): string[] {
  const [index, web, testing] = ['index.ts', 'web/index.ts', 'testing/index.ts'].map(exportsOf)
  // What the adapters have in common is exported by both.
  const ofWeb = web?.filter((name) => !index?.includes(name))
  const imports = `import { ${index} } from 'passport-social-login'
    import { ${ofWeb} } from 'passport-social-login/web'
    import { ${testing} } from 'passport-social-login/testing'`
  const examples = Array.from(sources.matchAll(/^ *\* @example\n((?: *\*(?! @|\/).*\n)+)/gm), ([, body = '']) => body)
  expect(examples.length).toBe(sources.split('@example').length - 1)
  return examples.map((body, number) => {
    const file = `example-${number}.mts`
    writeFileSync(join(folder, file), `${imports}\n${body.replaceAll(/^ *\* ?/gm, '')}`)
    return file
  })
}

describe.each([
  ['node16', ['--module', 'node16']],
  ['nodenext', ['--module', 'nodenext']],
  ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
])('for TypeScript under %s', (_title, mode) => {
  /** An error begins at the margin; what explains it is indented. */
  let errors: string[]

  beforeAll(() => {
    const snippets = ['right.ts', 'wrong.ts', 'surroundings.d.ts']
    for (const file of snippets) copyFileSync(join(root, 'test/package/snippets', file), join(folder, file))
    const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', 'false', '--noEmit']
    const args = [join(root, 'node_modules/typescript/bin/tsc'), ...strict, '--target', 'es2022', ...mode, ...types]
    const files = ['--lib', 'es2023', ...snippets, ...writeExamples()]
    const { stdout } = spawnSync(process.execPath, [...args, ...files], { cwd: folder, encoding: 'utf8' })
    errors = stdout.split(/^(?=\S)/m)
  }, 60_000)

  test('the snippets of user code and the examples of the doc comments compile', () => {
    expect(errors.filter((error) => !error.startsWith('wrong.ts('))).toStrictEqual([])
  })

  test('each mistake gets an error that names it', () => {
    const lines = readFileSync(join(root, 'test/package/snippets/wrong.ts'), 'utf8').split('\n')
    const expected = lines.flatMap((line, index) =>
      line.startsWith('// error: ') ? [{ text: line.slice(10), line: index + 2 }] : [],
    )
    expect(expected.length).toBeGreaterThan(10)
    for (const { text, line } of expected) {
      const own = errors.filter((error) => error.startsWith(`wrong.ts(${line},`))
      expect(own.join('')).toContain(text)
    }
    expect(errors).toHaveLength(expected.length)
  })
})

test('has no install scripts', () => {
  expect(run('npm', 'query', ':attr(scripts, [install]), :attr(scripts, [postinstall])').trim()).toBe('[]')
})
