import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(__dirname, '../../..')

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
  const papers = paths.filter((path) => !path.startsWith('dist/lib/') && !/^docs\/[\w-]+\.md$/.test(path))
  expect(papers.sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'bench/results/chart.svg',
    'example-app/minimal.ts',
    'example-app/screenshots/start-1-sign-in.png',
    'example-app/screenshots/start-2-provider.png',
    'example-app/screenshots/start-3-profile.png',
    'package.json',
  ])
  const inLibrary = paths.filter((path) => path.startsWith('dist/lib/'))
  expect(inLibrary.filter((path) => !/\.(js|d\.ts)$/.test(path))).toEqual([])
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

test.each(['consumer.mts', 'consumer.cts'])('has types that compile in a strict %s', (file) => {
  writeFileSync(
    join(folder, file),
    `
    import { Strategy, SocialLoginError, type Profile, type VerifyFunctionWithParams } from 'passport-social-login'
    import { FakeProvider } from 'passport-social-login/testing'
    const options = { baseURL: 'https://social.example/api/v1', clientID: 'id', clientSecret: 's', callbackURL: '/cb' }
    new Strategy(options, async (accessToken, refreshToken, profile) => ({ id: profile.id, none: refreshToken, accessToken }))
    const withParams: VerifyFunctionWithParams = (accessToken, refreshToken, params, profile, done) =>
      done(null, { id: profile.id, token: params.access_token === accessToken })
    new Strategy(options, withParams)
    new Strategy({ ...options, passReqToCallback: true }, (req, accessToken, refreshToken, profile, done) => {
      const path: string = req.path
      done(null, { id: profile.id, path })
    })
    // @ts-expect-error a verify that wants a number for a profile
    new Strategy(options, (accessToken: string, refreshToken: undefined, profile: number) => ({}))
    // @ts-expect-error there is no such option
    new Strategy({ ...options, scope: 'email' }, () => false)
    // @ts-expect-error the profile is not any
    const wrong = (profile: Profile): number => profile.id
    export const code = (error: unknown) => (error instanceof SocialLoginError ? error.code : wrong)
    export const start = (): Promise<FakeProvider> => FakeProvider.start()
  `,
  )
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const types = ['--typeRoots', join(root, 'node_modules', '@types'), '--types', 'node']
  run(process.execPath, tsc, '--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', ...types, file)
})

test('has no install scripts, and no more packages than are justified', () => {
  const tree = JSON.parse(run('npm', 'ls', '--all', '--json', '--omit=dev'))
  expect(Object.keys(tree.dependencies)).toEqual(['passport-social-login'])
  const { dependencies } = tree.dependencies['passport-social-login']
  expect(Object.keys(dependencies).sort()).toEqual([
    '@types/passport-oauth2',
    'cookie',
    'entities',
    'jose',
    'lossless-json',
    'passport-oauth2',
    'undici',
  ])
  expect(run('npm', 'query', ':attr(scripts, [install]), :attr(scripts, [postinstall])').trim()).toBe('[]')
})
