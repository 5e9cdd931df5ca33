import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'undici'
import { HOSTS } from './sites'

/** The result of a command. */
export type Answer = Readonly<Record<string, unknown>>

// Resolves names locally, disables background requests, and sends a form again without asking.
const PREFERENCES: Readonly<Record<string, string | boolean | number>> = {
  'network.dns.localDomains': HOSTS.join(),
  'app.update.disabledForTesting': true,
  'app.normandy.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage': 'about:blank',
  'browser.safebrowsing.update.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.confirm_repost.testing.always_accept': true,
  'devtools.jsonview.enabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'network.http.speculative-parallel-limit': 0,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.reportingpolicy.firstRun': false,
}

/**
 * A stock Firefox, driven by WebDriver BiDi. playwright-core needs a command that Debian's Firefox lacks
 * (emulation.setMediaFeaturesOverride), puppeteer-core brings 57 packages, and selenium-webdriver needs geckodriver, which
 * Debian does not have and npm only downloads from elsewhere. Few commands are needed here.
 */
export class BiDi {
  readonly #process: ChildProcess
  readonly #profile: string
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>()
  #lastID = 0

  private constructor(process: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = process
    this.#profile = profile
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))))
  }

  static async start(executablePath: string): Promise<BiDi> {
    const profile = mkdtempSync(join(tmpdir(), 'firefox-'))
    const lines = Object.entries(PREFERENCES).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    )
    writeFileSync(join(profile, 'user.js'), lines.join('\n'))
    const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
    const firefox = spawn(executablePath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    const socket = new WebSocket(`${await addressOf(firefox)}/session`)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', () => reject(new Error('Firefox does not take the connection')), { once: true })
    })
    const bidi = new BiDi(firefox, profile, socket)
    await bidi.send('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } })
    return bidi
  }

  /** Sends a command. Rejects with Firefox's error. */
  send(method: string, params: object): Promise<Answer> {
    const id = ++this.#lastID
    this.#socket.send(JSON.stringify({ id, method, params }))
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  async close(): Promise<void> {
    const gone = once(this.#process, 'exit')
    await this.send('browser.close', {}).catch(() => this.#process.kill())
    await gone
    this.#socket.close()
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 })
  }

  #receive(message: { id?: number; type: string; result?: Answer; error?: string; message?: string }): void {
    const waiting = this.#waiting.get(message.id ?? 0)
    this.#waiting.delete(message.id ?? 0)
    if (message.type === 'success') waiting?.resolve(message.result ?? {})
    else waiting?.reject(new Error(`${message.error}: ${message.message}`))
  }
}

async function addressOf(firefox: ChildProcess): Promise<string> {
  if (firefox.stderr === null) throw new Error('Firefox has no stderr')
  const lines = createInterface(firefox.stderr)
  for await (const line of lines) {
    const address = /WebDriver BiDi listening on (\S+)/.exec(line)?.[1]
    if (address !== undefined) {
      // Drained, so that Firefox does not block on a full pipe.
      firefox.stderr.resume()
      return address
    }
  }
  throw new Error('Firefox ended before it listened')
}
