import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { ProviderResponse } from './response-reader'
import type { RequestAttempt, Transport } from './transport'

/**
 * The part of a dispatcher that the package needs: undici's `request` method, which all of undici 6, 7 and 8 have.
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

/** Calls `request` of the caller's dispatcher, because the handlers of `dispatch` differ between major versions. */
export class DispatcherTransport implements Transport {
  readonly #dispatcher: RequestDispatcher

  constructor(dispatcher: RequestDispatcher) {
    this.#dispatcher = dispatcher
  }

  send(attempt: RequestAttempt): Promise<ProviderResponse> {
    // A caller's dispatcher may ignore the signal.
    return attempt.deadline.race(this.#request(attempt))
  }

  async #request({ request, deadline, reader }: RequestAttempt): Promise<ProviderResponse> {
    // An interceptor may modify the headers, so they are copied; undici's for redirects reads `maxRedirections`.
    const options = { ...request, headers: { ...request.headers }, signal: deadline.signal, maxRedirections: 0 }
    const { statusCode, headers, body } = await this.#dispatcher.request(options)
    const discard = (): void => void body.on('error', () => {}).destroy()
    const stop = deadline.onEnd(discard)
    try {
      // Leaving the loop destroys the body. The rest of it, which may be endless, is not read.
      if (!reader.start(statusCode, headers)) discard()
      else for await (const chunk of body) if (!reader.add(chunk)) break
      return reader.finish()
    } finally {
      stop()
    }
  }
}
