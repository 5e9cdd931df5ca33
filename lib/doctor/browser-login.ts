import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { UsageError } from '../command-line'
import type { LoginDriver } from './login'
import type { Prompt } from './prompt'

const MAX_WAIT_MS = 600_000
const PAGE =
  '<!doctype html><html lang="en"><title>Done</title><p>The doctor has received the callback. You can close this page.</p></html>'

/**
 * A login by the person at the terminal, in a browser of theirs.
 *
 * @param listener catches the callback; without it, its address is pasted
 * @param allowGet whether an exchange by GET is allowed without a question
 * @param beforeAsking called before anything is written
 */
export function browserLogin(
  prompt: Prompt,
  listener: CallbackListener | undefined,
  allowGet: boolean,
  beforeAsking: () => void,
): LoginDriver {
  return {
    async logIn(url) {
      beforeAsking()
      const task = `\nOpen this in a browser, and log in:\n\n  ${url}\n\n`
      if (listener === undefined)
        return (await prompt.ask(`${task}Then paste the address to which the browser came back: `)) || undefined
      prompt.tell(`${task}The browser comes back to this program.\n`)
      return listener.next()
    },
    async mayExchangeByGet() {
      if (allowGet || !prompt.isInteractive) return allowGet
      beforeAsking()
      const question =
        '\nOld servers exchange by GET alone: the secret is then in the logs of the provider.\nSend it so? [y/N] '
      return /^y(es)?$/i.test(((await prompt.ask(question)) ?? '').trim())
    },
  }
}

/** Whether the URL is one of this machine, by plain http, where a callback can be caught. */
export function isCatchable(redirectURL: string | undefined): redirectURL is string {
  return redirectURL !== undefined && /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?#]|$)/i.test(redirectURL)
}

/** Listens where the browser comes back to. */
export class CallbackListener {
  readonly #server: Server
  readonly #url: URL
  #caught: ((address: string) => void) | undefined

  private constructor(redirectURL: string) {
    this.#url = new URL(redirectURL)
    this.#server = createServer((request, response) => this.#respond(request, response))
  }

  /** @throws UsageError when the port is taken */
  static async listen(redirectURL: string): Promise<CallbackListener> {
    const listener = new CallbackListener(redirectURL)
    const { hostname, port } = listener.#url
    await new Promise<void>((resolve, reject) => {
      listener.#server.once('error', () => {
        const cure = 'stop the application that listens there, or leave --redirect-url out and paste the address'
        reject(new UsageError(`Cannot listen at ${listener.#url.host}, where the browser comes back to: ${cure}`))
      })
      listener.#server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ''), resolve)
    })
    return listener
  }

  /** @returns the address of the next callback; undefined after ten minutes */
  next(): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#caught = resolve
      setTimeout(() => resolve(undefined), MAX_WAIT_MS).unref()
    })
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Whether a request is for the redirect URL, to which a provider may append the key by `?`, `&` or `&amp;`. */
  #isRedirectURL({ url = '', headers }: IncomingMessage): boolean {
    const { host, pathname } = this.#url
    return headers.host === host && url.split(/[?&]/, 1)[0] === pathname
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? ''
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    }
    const isCallback = isNavigation(request) && this.#isRedirectURL(request) && path.includes('auth_key=')
    response.writeHead(isCallback ? 200 : 404, headers).end(isCallback ? PAGE : '')
    if (isCallback) this.#caught?.(this.#url.origin + path)
  }
}

/**
 * Whether a browser opens a page, or something else than a browser asks. A page of any site can cause other requests, with
 * a key that it has made up. Chromium sends no Fetch Metadata with a WebSocket.
 */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers
  if (headers['sec-websocket-key'] !== undefined || headers['sec-purpose'] !== undefined) return false
  return method === 'GET' && mode === 'navigate' && destination === 'document'
}
