import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Deadline } from '../deadline'
import type { AnswerReader } from './response-reader'

/** A request as it is written; the path with its query. */
export interface TransportRequest {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** What carries requests to the provider. */
export interface Transport {
  /**
   * Sends one request and feeds its answer to the reader. `repeated`: it was sent twice, because its first connection was
   * stale, and the provider may have read it there.
   *
   * @throws what the reader threw, the deadline's reason, or an error of the network
   */
  send(request: TransportRequest, reader: AnswerReader, deadline: Deadline): Promise<{ readonly repeated: boolean }>
}

/**
 * What the package needs of a dispatcher: undici's `request` method, which every dispatcher of undici 6, 7 and 8 has.
 *
 * @example
 * const dispatcher: RequestDispatcher = new EnvHttpProxyAgent() // of undici: reads HTTPS_PROXY and NO_PROXY
 */
export interface RequestDispatcher {
  /** Sends one request. The body of the answer is read here, or destroyed. */
  request(options: {
    origin: string
    method: 'GET' | 'POST'
    path: string
    headers: Record<string, string>
    body: string | null
    signal: AbortSignal
  }): Promise<{ statusCode: number; headers: IncomingHttpHeaders; body: Readable }>
}

/** Requests by the caller's own dispatcher. Not its `dispatch`, whose handlers differ from one major version to the next. */
export class CallerDispatcher implements Transport {
  readonly #dispatcher: RequestDispatcher

  constructor(dispatcher: RequestDispatcher) {
    this.#dispatcher = dispatcher
  }

  send(request: TransportRequest, reader: AnswerReader, deadline: Deadline): Promise<{ repeated: boolean }> {
    return new Promise((resolve, reject) => {
      // Not left to the signal: nothing makes a caller's dispatcher heed it.
      const unwatch = deadline.onEnd(reject)
      this.#request(request, reader, deadline.signal)
        .finally(unwatch)
        .then(() => resolve({ repeated: false }), reject)
    })
  }

  async #request(request: TransportRequest, reader: AnswerReader, signal: AbortSignal): Promise<void> {
    // A copy of the headers: an interceptor may well write into what it is given.
    const options = { ...request, headers: { ...request.headers }, signal }
    const { statusCode, headers, body } = await this.#dispatcher.request(options)
    try {
      reader.start(statusCode, headers)
      for await (const chunk of body) reader.add(chunk)
    } catch (error) {
      // What was read so far says all: the body, be it endless, is not waited for.
      body.on('error', () => {}).destroy()
      throw error
    }
  }
}
