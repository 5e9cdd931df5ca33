import { execFileSync } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Browser, closeBrowsers } from '../../support/browser'
import { launchExample, temporaryFolder } from '../../support/example/example-app'
import { freePort } from '../../support/free-port'

const MAX_WAITING = 8 * 1024 * 1024

describe('a log collector that reads nothing', () => {
  const folder = temporaryFolder()
  afterAll(async () => {
    await closeBrowsers()
    folder.remove()
  })

  test('fills no memory: lines are dropped, counted when it reads again, and nobody waits for it', async () => {
    const pipe = join(folder.path, 'pipe')
    execFileSync('mkfifo', [pipe])
    const port = await freePort()
    const environment = { DATA_DIR: folder.path, HOST: '127.0.0.1', PORT: String(port) }
    // Opened for both, so that neither side waits for the other.
    const example = launchExample(environment, { limit: `exec 1<>'${pipe}'` })
    const url = `http://127.0.0.1:${port}`
    while ((await fetch(`${url}/healthz`).catch(() => undefined))?.status !== 200) await delay(20)
    const path = `/${'long'.repeat(3000)}`
    for (let count = 0; count < 50; count += 1) {
      await Promise.all(Array.from({ length: 20 }, () => new Browser().request(`${url}${path}`)))
    }
    expect((await new Browser().request(`${url}/healthz`)).status).toBe(200)

    let read = ''
    const reader = createReadStream(pipe, 'utf8').on('data', (text) => {
      read += text
    })
    const isReported = (): boolean => /"lines":\d+,"msg":"log lines were dropped/.test(read)
    while (!isReported() && read.length < MAX_WAITING) {
      await delay(20)
      await new Browser().request(`${url}/login`)
    }
    expect(isReported()).toBe(true)
    expect(await example.stop('SIGTERM')).toBe(0)
    reader.destroy()
  }, 40_000)
})
