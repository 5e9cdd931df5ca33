import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = join(__dirname, '../../../.github/workflows')
const files = readdirSync(folder)
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')

/** The values of a key at any level, without comments. */
function valuesOf(key: string, text: string): string[] {
  const lines = text.matchAll(new RegExp(`^\\s*(?:- )?${key}:\\s*([^#\\n]*)`, 'gm'))
  return Array.from(lines, ([, value = '']) => value.trim())
}

/** The shell lines of the step with this name, as the runner gets them. */
function scriptOf(step: string, text: string): string {
  const [, ...after] = text.split(`- name: ${step}\n`)
  const [, indent = '', block = ''] = /run: \|\n( +)([\s\S]*?)\n(?! {10})/.exec(after.join('')) ?? []
  return block.replaceAll(`\n${indent}`, '\n')
}

test('the quick tests and the slow ones are all of them', () => {
  const { scripts } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8'))
  const foldersIn = (script: string): string | undefined => /\/\(([\w|]+)\)\//.exec(script)?.[1]
  expect(scripts.test).toContain('--testPathIgnorePatterns')
  expect(scripts['test:slow']).toContain('--testPathPatterns')
  expect(foldersIn(scripts['test:slow'])).toBe(foldersIn(scripts.test))
  const nightly = readFileSync(join(folder, '../../.ci/nightly'), 'utf8')
  const outages = ['npx jest --maxWorkers 4 --testPathPatterns /outages/ &', 'wait "$outages"']
  const slow = 'npm run test:slow -- --maxWorkers 3 --testPathIgnorePatterns /outages/'
  for (const command of ['npm cit', slow, ...outages]) expect(nightly.split('\n')).toContain(command)
})

test('each file of slow tests that .ci/run names exists', () => {
  const [, arguments_ = ''] =
    /npx jest \\\n([\s\S]*?)\nnode /.exec(readFileSync(join(folder, '../../.ci/run'), 'utf8')) ?? []
  const names = arguments_.split(/[\s\\]+/).filter((name) => name !== '')
  expect(names.length).toBeGreaterThan(5)
  for (const name of names)
    expect([name, existsSync(join(folder, `../../test/${name}.test.ts`))]).toStrictEqual([name, true])
})

describe.each(files)('%s', (file) => {
  test('uses actions by commit and images by digest', () => {
    const uses = valuesOf('uses', textOf(file))
    expect(uses.length).toBeGreaterThan(0)
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w/-]+@[\da-f]{40}$/)
    const images = [...valuesOf('container', textOf(file)), ...valuesOf('image', textOf(file))]
    for (const image of images) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[\da-f]{64}$/)
  })

  test('runs on images that are named by their version', () => {
    const runners = [...valuesOf('runs-on', textOf(file)), ...valuesOf('os', textOf(file))].join(' ')
    expect(runners).not.toContain('latest')
    expect(runners).toMatch(/ubuntu-\d\d\.\d\d/)
  })

  test('has only the permissions that a job needs', () => {
    expect(textOf(file)).toMatch(/^permissions: \{\}$/m)
    expect(textOf(file)).not.toMatch(/write-all|read-all/)
    const checkouts = valuesOf('uses', textOf(file)).filter((action) => action.startsWith('actions/checkout@'))
    expect(valuesOf('persist-credentials', textOf(file))).toEqual(checkouts.map(() => 'false'))
  })
})

describe('a release', () => {
  const release = textOf('release.yml')
  const script = scriptOf('The tag lies on main', release)
  let home: string

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'workflows-'))
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  function git(cwd: string, ...args: string[]): string {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
    const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
    return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8', env, stdio: 'pipe' }).trim()
  }

  test('fetches all branches before it checks main, and checks before any code of the tag runs', () => {
    const [check = ''] = release.split('  publish:')
    expect(check.indexOf('fetch-depth: 0')).toBeGreaterThan(0)
    expect(check.indexOf('fetch-depth: 0')).toBeLessThan(check.indexOf('- name: The tag lies on main'))
    expect(check.indexOf('The tag lies on main')).toBeLessThan(check.indexOf('node -p'))
    expect(release).toMatch(/publish:\n {4}needs: check\n/)
  })

  test.each([
    ['of a commit of main passes', 'v1.0.0', [], 0, ''],
    ['of a commit on another branch fails with instructions', 'v1.2.0', [], 1, 'is not on main: merge it there first'],
    ['fails when main was not fetched', 'v1.0.0', ['--depth=1', '--single-branch'], 1, 'origin/main is not here'],
  ])('%s', (_title, tag, options, expected, words) => {
    const [origin, clone] = [join(home, 'origin'), join(home, 'clone')]
    git(home, 'init', '--quiet', '--initial-branch=main', origin)
    for (const [branch, version] of [
      ['main', 'v1.0.0'],
      ['side', 'v1.2.0'],
    ] as const) {
      git(origin, 'checkout', '--quiet', '-B', branch)
      git(origin, 'commit', '--quiet', '--allow-empty', '-m', version)
      git(origin, 'tag', version)
    }
    git(home, 'clone', '--quiet', ...options, '--branch', tag, `file://${origin}`, clone)
    const sha = git(clone, 'rev-parse', 'HEAD')
    const env = { PATH: process.env['PATH'], HOME: home, GITHUB_WORKSPACE: clone, GITHUB_SHA: sha }
    const { status, stderr } = spawnSync('sh', ['-e', '-c', script], { cwd: clone, encoding: 'utf8', env })
    expect([status, stderr]).toStrictEqual([expected, expect.stringContaining(words)])
  })
})
