import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Transport, TransportCall } from './transport'

/**
 * The part of a dispatcher that the package needs: undici's `request` method, which every dispatcher of undici 6, 7 and
 * 8 has.
 *
 * @example
 * import { EnvHttpProxyAgent } from 'undici'
 *
 * const dispatcher: RequestDispatcher = new EnvHttpProxyAgent() // reads HTTPS_PROXY and NO_PROXY
 */
export interface RequestDispatcher {
  /** Sends one request. The package reads the body of the response, or destroys it. */
  request(options: {
    origin: string
    method: 'GET' | 'POST'
    path: string
    headers: Record<string, string>
    body: string | null
    idempotent: boolean
    signal: AbortSignal
  }): Promise<{ statusCode: number; headers: IncomingHttpHeaders; body: Readable }>
}

/**
 * Sends requests through `request` of the caller's dispatcher: the handlers of `dispatch` differ between major
 * versions.
 */
export class DispatcherTransport implements Transport {
  readonly #dispatcher: RequestDispatcher

  constructor(dispatcher: RequestDispatcher) {
    this.#dispatcher = dispatcher
  }

  send(call: TransportCall): Promise<void> {
    return new Promise((resolve, reject) => {
      // A caller's dispatcher may ignore the signal.
      call.deadline.addListener(reject)
      this.#send(call)
        .finally(() => call.deadline.removeListener(reject))
        .then(resolve, reject)
    })
  }

  async #send(call: TransportCall): Promise<void> {
    try {
      await this.#request(call)
    } catch (error) {
      const wait = call.retryAfter(error)
      if (wait === undefined) throw error
      await call.deadline.pause(wait)
      await this.#request(call)
    }
  }

  async #request(call: TransportCall): Promise<void> {
    const { request, deadline } = call
    const reader = call.newReader()
    // The headers are copied, because an interceptor may modify them. That of undici for redirects reads `maxRedirections`.
    const options = { ...request, headers: { ...request.headers }, signal: deadline.signal, maxRedirections: 0 }
    const { statusCode, headers, body } = await this.#dispatcher.request(options)
    try {
      reader.start(statusCode, headers)
      for await (const chunk of body) reader.add(chunk)
    } catch (error) {
      // The rest of the body, which may be endless, is not read.
      body.on('error', () => {}).destroy()
      throw error
    }
  }
}
