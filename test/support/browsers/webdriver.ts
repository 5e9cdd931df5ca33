import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { freePort } from '../free-port'
import { untilDefined } from './live-world'

/** The result of a command. */
export type Value = unknown

/**
 * Debian's WebKitWebDriver on its own display. selenium-webdriver could only take the place of `send`: it starts neither
 * this driver nor a display, and has no deadline for a session that never starts.
 */
export class WebDriver {
  readonly #processes: readonly ChildProcess[]
  readonly #home: string
  readonly #url: string

  private constructor(processes: readonly ChildProcess[], home: string, url: string) {
    this.#processes = processes
    this.#home = home
    this.#url = url
  }

  /** @param proxy for HTTPS */
  static async start(executablePath: string, displayServer: string, proxy: string): Promise<WebDriver> {
    const home = mkdtempSync(join(tmpdir(), 'webkit-'))
    // Each leads a group of processes, in which its children end with it.
    const display = spawn(displayServer, ['-displayfd', '1', '-nolisten', 'tcp', '-screen', '0', '1280x1024x24'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    const number = await firstLine(display)
    const port = await freePort()
    const driver = spawn(executablePath, [`--port=${port}`, '--host=127.0.0.1'], {
      stdio: 'ignore',
      detached: true,
      env: { ...process.env, ...environment(home), DISPLAY: `:${number}`, https_proxy: proxy },
    })
    for (const child of [driver, display]) process.once('exit', () => endGroup(child))
    const webDriver = new WebDriver([driver, display], home, `http://127.0.0.1:${port}`)
    await untilDefined(() => webDriver.send('GET', '/status').catch(() => undefined), 'WebKitWebDriver')
    return webDriver
  }

  /** Sends a command. Rejects with the driver's error. */
  async send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    parameters?: object,
    signal?: AbortSignal,
  ): Promise<Value> {
    const body = method === 'POST' ? JSON.stringify(parameters ?? {}) : null
    const answer = await request(this.#url + path, { method, body, signal: signal ?? null })
    const value = property(await answer.body.json(), 'value')
    if (answer.statusCode !== 200) throw new Error(`${property(value, 'error')}: ${property(value, 'message')}`)
    return value
  }

  async close(): Promise<void> {
    for (const child of this.#processes) {
      const gone = once(child, 'exit')
      if (endGroup(child)) await gone
    }
    await rm(this.#home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** @returns false if it had ended by itself */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false
  return process.kill(-pid, 'SIGKILL')
}

/** Nothing of the developer who runs the tests. Its sandbox needs user namespaces, which containers lack. */
function environment(home: string): NodeJS.ProcessEnv {
  return {
    HOME: home,
    XDG_RUNTIME_DIR: home,
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    GTK_A11Y: 'none',
    NO_AT_BRIDGE: '1',
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the display has no stdout')
  for await (const line of createInterface(stdout)) return line
  throw new Error('the display ended before it was there')
}

export function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
