import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { runExample, startExample, temporaryFolder } from '../../support/example/example-app'

// Drops root's capability to read and write everywhere.
const AS_ANYBODY = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []

describe('the data folder of the example', () => {
  const folder = temporaryFolder()
  let count = 0
  const newFolder = async (): Promise<string> => {
    const path = join(folder.path, String(count++))
    await mkdir(path)
    return path
  }
  afterAll(() => folder.remove())

  test('keeps all of its files to their owner', async () => {
    const dataDir = await newFolder()
    await chmod(dataDir, 0o755)
    const example = await startExample({ DATA_DIR: dataDir })
    const modes = readdirSync(dataDir).map((name) => statSync(join(dataDir, name)).mode & 0o077)
    expect([modes.length > 1, new Set(modes)]).toStrictEqual([true, new Set([0])])
    await example.stop('SIGKILL')
  })

  test('that may not be written is named with the reason', async () => {
    const dataDir = await newFolder()
    await chmod(dataDir, 0o555)
    const { code, output } = await runExample({ DATA_DIR: dataDir }, AS_ANYBODY)
    expect([code, output]).toStrictEqual([
      1,
      expect.stringMatching(/- DATA_DIR names a folder that cannot be used \(EACCES\)\.\n$/),
    ])
  })

  test.each([
    ['session-secret', 'DATA_DIR holds a session-secret file that is incomplete'],
    ['app.db', 'DATA_DIR names a database that cannot be opened: SQLITE_NOTADB'],
  ])('whose %s is damaged is refused', async (name, problem) => {
    const dataDir = await newFolder()
    writeFileSync(join(dataDir, name), '\0'.repeat(4096))
    const { code, output } = await runExample({ DATA_DIR: dataDir })
    expect([code, output]).toStrictEqual([1, expect.stringContaining(`  - ${problem}`)])
  })

  test('gets one secret, although two processes start at the same time', async () => {
    const dataDir = await newFolder()
    const both = await Promise.all([startExample({ DATA_DIR: dataDir }), startExample({ DATA_DIR: dataDir })])
    expect(readFileSync(join(dataDir, 'session-secret'), 'utf8')).toMatch(/^[\w-]{43}$/)
    expect(readdirSync(dataDir).filter((name) => name.startsWith('session-secret'))).toStrictEqual(['session-secret'])
    for (const example of both) await example.stop('SIGKILL')
  })
})
