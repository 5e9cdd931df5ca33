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
  const slow = 'npm run test:slow -- --testPathIgnorePatterns /outages/'
  for (const command of ['npm cit', slow, ...outages]) expect(nightly.split('\n')).toContain(command)
})

test('each file of slow tests that .ci/run names exists', () => {
  const [, arguments_ = ''] =
    /npx jest \\\n([\s\S]*?)\nnode /.exec(readFileSync(join(folder, '../../.ci/run'), 'utf8')) ?? []
  const names = arguments_.split(/[\s\\]+/).filter((name) => name !== '')
  expect(names.length).toBeGreaterThan(5)
  for (const name of names) expect([name, existsSync(join(folder, `../../test/${name}.test.ts`))]).toEqual([name, true])
})

describe.each(files)('%s', (file) => {
  test('uses actions by commit and images by digest', () => {
    const uses = valuesOf('uses', textOf(file))
    expect(uses.length).toBeGreaterThan(0)
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w/-]+@[\da-f]{40}$/)
    const images = [...valuesOf('container', textOf(file)), ...valuesOf('image', textOf(file))]
    expect(images.length).toBeGreaterThan(0)
    for (const image of images) expect(image).toMatch(/^[\w./-]+:[\w.-]+@sha256:[\da-f]{64}$/)
  })

  test('has only the permissions that a job needs', () => {
    expect(textOf(file)).toMatch(/^permissions: \{\}$/m)
    expect(textOf(file)).not.toMatch(/write-all|read-all/)
    const checkouts = valuesOf('uses', textOf(file)).filter((action) => action.startsWith('actions/checkout@'))
    expect(valuesOf('persist-credentials', textOf(file))).toEqual(checkouts.map(() => 'false'))
  })
})

test('the same image is used everywhere', () => {
  expect(new Set(files.flatMap((file) => valuesOf('container', textOf(file)))).size).toBe(1)
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

  /** A repository with a tag on main, one before its end, and one on a branch; and a clone, as the checkout makes it. */
  function checkout(tag: string, ...options: string[]): string {
    const [origin, clone] = [join(home, 'origin'), join(home, 'clone')]
    git(home, 'init', '--quiet', '--initial-branch=main', origin)
    const commit = (message: string): string => git(origin, 'commit', '--quiet', '--allow-empty', '-m', message)
    commit('first')
    git(origin, 'tag', 'v1.0.0')
    commit('second')
    git(origin, 'tag', '--annotate', '-m', 'annotated', 'v1.1.0')
    git(origin, 'switch', '--quiet', '--create', 'side', 'v1.0.0')
    commit('never reviewed')
    git(origin, 'tag', 'v1.2.0')
    git(origin, 'switch', '--quiet', 'main')
    git(home, 'clone', '--quiet', ...options, '--branch', tag, `file://${origin}`, clone)
    return clone
  }

  function run(clone: string, shell: string, sha: string): { status: number | null; text: string } {
    const env = { PATH: process.env['PATH'], HOME: home, GITHUB_WORKSPACE: clone, GITHUB_SHA: sha }
    const { status, stdout, stderr } = spawnSync(shell, ['-e', '-c', script], { cwd: clone, encoding: 'utf8', env })
    return { status, text: stdout + stderr }
  }

  test('fetches all branches before it checks main, and checks before any code of the tag runs', () => {
    const [check = ''] = release.split('  publish:')
    expect(check).toContain('fetch-depth: 0')
    expect(check.indexOf('fetch-depth: 0')).toBeLessThan(check.indexOf('- name: The tag lies on main'))
    expect(check.indexOf('The tag lies on main')).toBeLessThan(check.indexOf('node -p'))
    expect(script).toContain('git merge-base --is-ancestor "$GITHUB_SHA"')
    expect(release).toMatch(/publish:\n {4}needs: check\n/)
  })

  test.each([
    ['the end of main', 'v1.1.0', 'v1.1.0^{commit}'],
    ['the end of main, by the annotated tag itself', 'v1.1.0', 'v1.1.0'],
    ['an older commit of main', 'v1.0.0', 'v1.0.0'],
  ])('of %s passes', (_name, tag, revision) => {
    const clone = checkout(tag)
    for (const shell of ['bash', 'sh']) {
      expect(run(clone, shell, git(clone, 'rev-parse', revision))).toMatchObject({ status: 0 })
    }
  })

  test('of a commit on another branch fails with instructions', () => {
    const clone = checkout('v1.2.0')
    const sha = git(clone, 'rev-parse', 'v1.2.0')
    expect(git(clone, 'branch', '--remotes', '--contains', sha)).toBe('origin/side')
    for (const shell of ['bash', 'sh']) {
      const { status, text } = run(clone, shell, sha)
      expect([status, text]).toEqual([1, expect.stringContaining(`${sha} is not on main: merge it there first`)])
    }
  })

  test('fails when main was not fetched: a missing branch must not pass', () => {
    const clone = checkout('v1.1.0', '--depth=1', '--single-branch')
    const { status, text } = run(clone, 'bash', git(clone, 'rev-parse', 'HEAD'))
    expect([status, text]).toEqual([1, expect.stringContaining('origin/main is not here')])
  })
})
