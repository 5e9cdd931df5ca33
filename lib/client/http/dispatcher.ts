import type { ProviderResponse } from './response-reader'
import type { RequestAttempt, RequestDispatcher, Transport } from './transport'

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
