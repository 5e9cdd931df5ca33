import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { NameServer } from '../support/name-server'

const run = (kind: 'naive' | 'ours', nameServer: string): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, [join(__dirname, 'name-lookup-program.js'), kind, nameServer])

describe('a site whose name is an alias of a name without addresses', () => {
  let nameServer: NameServer
  beforeAll(async () => {
    nameServer = await NameServer.start()
    nameServer.alias('hostile.example')
  })
  afterAll(() => nameServer.stop())

  test('ends the process of a naive application that looks names up at the name servers', async () => {
    await expect(run('naive', nameServer.address)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('TypeError'),
    })
  })

  test('cannot be reached with ours', async () => {
    const { stdout } = await run('ours', nameServer.address)
    expect(stdout).toContain('provider_unreachable')
  })
})
