import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from 'redis'
import { freePort } from '../../support/free-port'

const program = process.env['REDIS_SERVER'] ?? '/usr/bin/redis-server'
const isInstalled = existsSync(program)
const isRequired = process.env['REQUIRE_REDIS'] === '1'

if (!isInstalled && !isRequired) {
  console.log('Redis tests are skipped: there is no /usr/bin/redis-server (REDIS_SERVER names another program).')
}

/** `describe` if Redis is installed or required (REQUIRE_REDIS=1); else `describe.skip`. */
export const describeWithRedis: jest.Describe = isInstalled || isRequired ? describe : describe.skip

/** A Redis server of our own in a temporary folder, which writes every change to the disk. */
export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Stops the server until `resume`. */
  halt(): Promise<void>
  /** Starts it again, at the same address and with the same data. */
  resume(): Promise<void>
  stop(): Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
  const flags = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, ...durable]
  const startServer = async (): Promise<ChildProcess> => {
    const started = spawn(program, flags, { stdio: 'ignore' })
    await once(started, 'spawn')
    await untilItAnswers(url)
    return started
  }
  let server = await startServer()
  const halt = async (): Promise<void> => {
    if (server.exitCode !== null) return
    server.kill('SIGTERM')
    await once(server, 'close')
  }
  return {
    port,
    url,
    halt,
    async resume() {
      server = await startServer()
    },
    async stop() {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The client tries again until the server accepts its connection and has read its data. */
async function untilItAnswers(url: string): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: 50 } }).on('error', () => {})
  await client.connect()
  await client.ping()
  await client.close()
}
