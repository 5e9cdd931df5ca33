import { createServer, type IncomingHttpHeaders } from 'node:http'
import { withoutBrackets } from '../client/url'
import { UsageError } from '../command-line'
import type { LoginDriver } from './login'
import type { Screen } from './screen'

const HEADERS = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
const PAGE =
  '<!doctype html><html lang="en"><title>Done</title><p>The doctor has received the callback. You can close this page.</p></html>'

/**
 * A login by the person at the terminal, in their browser.
 * @param listener catches the callback; without it, its address is pasted
 * @param allowGet whether an exchange by GET is allowed without a question
 */
export function browserLogin(screen: Screen, listener: CallbackListener | undefined, allowGet: boolean): LoginDriver {
  return {
    async logIn(url) {
      const task = `\nOpen this in a browser, and log in as your users do, perhaps with Google:\n\n  ${url}\n\n`
      if (listener === undefined)
        return (await screen.ask(`${task}Then paste the address to which the browser returned: `)) || undefined
      screen.tell(`${task}The browser returns to this program.\n`)
      return listener.callback
    },
    referer: () => listener?.referer(),
    async mayExchangeByGet() {
      if (allowGet || !screen.isInteractive) return allowGet
      const question =
        '\nOld servers exchange by GET alone: the secret is then in the logs of the provider.\nSend it so? [y/N] '
      return /^y(es)?$/i.test(((await screen.ask(question)) ?? '').trim())
    },
  }
}

/** Whether the URL is one of this machine, by plain http, where a callback can be caught. */
export function isCatchable(redirectURL: string | undefined): redirectURL is string {
  return redirectURL !== undefined && /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?#]|$)/i.test(redirectURL)
}

/** Whether a document is navigated to. A picture, a frame or a script of any website could ask for the address, too. */
function isNavigation(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-dest': destination, 'sec-fetch-mode': mode, 'sec-purpose': purpose, accept } = headers
  if (purpose !== undefined) return false
  if (destination !== undefined) return destination === 'document' && mode === 'navigate'
  // An older browser asks for a page by this header; a program may send none.
  return accept === undefined || accept.includes('text/html')
}

/** A server to which the browser returns. */
export interface CallbackListener {
  /** The address of the first callback. */
  readonly callback: Promise<string>
  /** The `Referer` of that callback. */
  referer(): string | undefined
  close(): void
}

/** @throws UsageError when the port is taken */
export async function listenForCallback(redirectURL: string): Promise<CallbackListener> {
  const { origin, host, hostname, port, pathname } = new URL(redirectURL)
  let receive = (_address: string): void => {}
  const callback = new Promise<string>((resolve) => {
    receive = resolve
  })
  let referer: string | undefined
  const server = createServer(({ url = '', method, headers }, response) => {
    // A provider may append the key by `?`, `&` or `&amp;`.
    const hasKey = url.split(/[?&]/)[0] === pathname && url.includes('auth_key=')
    const isCallback = hasKey && method === 'GET' && headers.host === host && isNavigation(headers)
    response.writeHead(isCallback ? 200 : 404, HEADERS).end(isCallback ? PAGE : '')
    if (!isCallback) return
    referer ??= headers.referer ?? ''
    receive(origin + url)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => {
      const cure = 'stop the application that listens there, or leave --redirect-url out and paste the address'
      reject(new UsageError(`Cannot listen at ${host}, to which the browser returns: ${cure}`))
    })
    server.listen(Number(port || 80), withoutBrackets(hostname), resolve)
  })
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return { callback, referer: () => referer, close }
}
