import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ownSecret } from '../../../example-app/storage/data-folder'
import { openLibsql } from '../../../example-app/storage/libsql'
import { FakeProvider } from '../../../lib/testing'
import { Browser, closeBrowsers } from '../../support/browser'
import {
  AS_ANYBODY,
  type LaunchOptions,
  type RunningExample,
  runExample,
  startExample,
  temporaryFolder,
} from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'

// Only root can give files away.
const asRoot = process.getuid?.() === 0 ? test : test.skip
const SOMEBODY = 12_345

describe('the data folder of the example', () => {
  const folder = temporaryFolder()
  let count = 0
  const freshFolder = (): string => {
    const data = join(folder.path, `data-${count++}`)
    mkdirSync(data)
    return data
  }
  afterAll(async () => {
    await closeBrowsers()
    folder.remove()
  })

  const problemOf = async (dataDir: string, options?: LaunchOptions): Promise<string> => {
    const { code, output } = await runExample({ DATA_DIR: dataDir }, options)
    expect([code, output.split('\n').length]).toEqual([1, 3])
    return output.replace('The environment is not valid:\n  - DATA_DIR ', '').trim()
  }

  test('that may not be written is named with the reason', async () => {
    const data = freshFolder()
    chmodSync(data, 0o500)
    const cure = 'EACCES: this process may not write there: give it the rights, or name another folder'
    expect(await problemOf(data, AS_ANYBODY)).toBe(`names a folder that cannot be used (${cure}).`)
    expect(await problemOf(join(data, 'further/down'), AS_ANYBODY)).toContain('(EACCES: ')
    chmodSync(data, 0o700)
    writeFileSync(join(data, 'app.db'), '', { mode: 0o400 })
    expect(await problemOf(data, AS_ANYBODY)).toBe(`holds a file app.db that cannot be used (${cure}).`)
  }, 20_000)

  test('that is none, or in which none can be made, is named with the reason', async () => {
    expect(await problemOf('/dev/null/data')).toContain('(ENOTDIR: a part of the path is not a folder')
    expect(await problemOf('/dev/null')).toContain('(EEXIST: it is not a folder')
    // Node's own way to make folders tries for ever here.
    if (existsSync('/proc/self')) expect(await problemOf('/proc/none/data')).toContain('(ENOENT: it cannot be created')
  }, 20_000)

  test('in which files cannot grow is named with the reason, as one on a full disk', async () => {
    expect(await problemOf(freshFolder(), { limit: 'ulimit -f 0' })).toContain('(EFBIG: files may not grow there')
  })

  test('is refused when it holds a pipe in place of a file, which would be waited for', async () => {
    for (const name of ['app.db', 'session-secret']) {
      const data = freshFolder()
      execFileSync('mkfifo', [join(data, name)])
      const problem = `holds ${name}, which is not a file: remove it, or name another folder.`
      expect(await problemOf(data)).toBe(problem)
    }
  }, 20_000)

  test('that was restored from a backup keeps all of its files to their owner', async () => {
    const data = freshFolder()
    const start = async (): Promise<RunningExample> => {
      const example = await startExample({ DATA_DIR: data })
      expect((await new Browser().request(`${example.appURL}/healthz`)).status).toBe(200)
      return example
    }
    await (await start()).stop('SIGKILL')
    const files = readdirSync(data).sort()
    expect(files).toEqual(['app.db', 'app.db-shm', 'app.db-wal', 'session-secret'])
    for (const name of files) chmodSync(join(data, name), 0o644)
    const example = await start()
    const modes = readdirSync(data).map((name) => [name, statSync(join(data, name)).mode & 0o777])
    await example.stop('SIGKILL')
    expect(modes.sort()).toEqual(files.map((name) => [name, 0o600]))
  }, 20_000)

  // Who owns the database or the secret can read and write the accounts, and sign cookies, whatever we make of the modes.
  asRoot.each(['app.db', 'app.db-wal', 'app.db-shm', 'app.db-journal', 'session-secret'])(
    'is refused when another user has put its %s there',
    async (name) => {
      const problem = `holds ${name}, which belongs to another user: remove it, or make it yours (chown) if you trust it.`
      const data = freshFolder()
      const file = join(data, name)
      writeFileSync(file, name === 'session-secret' ? 'A'.repeat(43) : '', { mode: 0o666 })
      chownSync(file, SOMEBODY, SOMEBODY)
      expect(await problemOf(data)).toBe(problem)
    },
  )

  // A watcher of the folder sees when a process begins to make its files.
  asRoot('is refused when another user was faster to create a file than this process', () => {
    const data = freshFolder()
    const secret = join(data, 'session-secret')
    writeFileSync(secret, 'A'.repeat(43))
    expect(ownSecret(data)).toBe('A'.repeat(43))
    chownSync(secret, SOMEBODY, SOMEBODY)
    // The danger: whoever wrote it can sign cookies.
    expect(() => ownSecret(data)).toThrow(expect.objectContaining({ code: 'OTHER_USER' }))
    for (const name of ['app.db', 'app.db-wal', 'app.db-journal']) {
      const folder = freshFolder()
      writeFileSync(join(folder, name), '')
      chownSync(join(folder, name), SOMEBODY, SOMEBODY)
      expect(() => openLibsql(folder)).toThrow(expect.objectContaining({ code: 'OTHER_USER' }))
    }
  })

  asRoot('is refused when another user has put a link to a file of ours there', async () => {
    const data = freshFolder()
    writeFileSync(join(data, 'ours'), '')
    symlinkSync(join(data, 'ours'), join(data, 'app.db'))
    lchownSync(join(data, 'app.db'), SOMEBODY, SOMEBODY)
    expect(await problemOf(data)).toContain('holds app.db, which belongs to another user')
  })

  // A machine that loses its power while a file is written may leave it so.
  test.each([
    ['nothing', ''],
    ['half of it', 'kZ3vJ0'.repeat(4)],
    ['zeros', '\0'.repeat(43)],
    ['spaces', ' '.repeat(43)],
    ['more than it', `${'a'.repeat(43)}\n`],
  ])('is refused when its session-secret holds %s', async (_what, content) => {
    const data = freshFolder()
    writeFileSync(join(data, 'session-secret'), content)
    expect(await problemOf(data)).toBe(
      'holds a session-secret file that is incomplete: remove it, and a new one is made (everybody has to sign in again).',
    )
    expect(readFileSync(join(data, 'session-secret'), 'utf8')).toBe(content)
  })

  test('gets one secret, although two processes start at once beside what a crash has left', async () => {
    const data = freshFolder()
    for (const draft of ['session-secret.1', 'session-secret.0123456789abcdef'])
      writeFileSync(join(data, draft), 'half')
    const provider = await FakeProvider.start()
    const application = registerExample(provider)
    const environment = { DATA_DIR: data, ...providerEnvironment(provider, application) }
    const processes = await Promise.all([startExample(environment), startExample(environment)])
    const [first, second] = processes
    const ada = new Visitor(provider, application, '1')
    await ada.begin(first.appURL)
    expect((await ada.comeBack(second.appURL)).location).toBe('/login/confirm')
    await Promise.all(processes.map((example) => example.stop('SIGKILL')))
    await provider.stop()
    expect(readFileSync(join(data, 'session-secret'), 'utf8')).toMatch(/^[\w-]{43}$/)
    expect(
      readdirSync(data)
        .filter((name) => /secret|probe/.test(name))
        .sort(),
    ).toEqual(['session-secret', 'session-secret.0123456789abcdef', 'session-secret.1'])
  }, 20_000)
})
