import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { AnswerReader } from './answer-reader'
import type { Deadline } from './deadline'

/** A request as it is written; the path with its query. */
export interface TransportRequest {
  readonly origin: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** One request of the client, which a transport sends once, or twice if that is allowed. */
export interface TransportCall {
  readonly request: TransportRequest
  readonly deadline: Deadline
  /** A reader for the answer to one sending. */
  newReader(): AnswerReader
  /** Milliseconds to wait before the request is sent once more after this error; undefined if it must not be. */
  repeatAfter(error: unknown): number | undefined
}

/** What carries requests to the provider. */
export interface Transport {
  /**
   * Sends one request, twice at the most, and feeds each answer to a reader of its own.
   *
   * @throws what the reader threw, the deadline's reason, or an error of the network
   */
  send(call: TransportCall): Promise<void>
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

  send(call: TransportCall): Promise<void> {
    return new Promise((resolve, reject) => {
      // Not left to the signal: nothing makes a caller's dispatcher heed it.
      const unwatch = call.deadline.onEnd(reject)
      this.#send(call).finally(unwatch).then(resolve, reject)
    })
  }

  async #send(call: TransportCall): Promise<void> {
    try {
      await this.#request(call)
    } catch (error) {
      const wait = call.repeatAfter(error)
      if (wait === undefined) throw error
      await call.deadline.pause(wait)
      await this.#request(call)
    }
  }

  async #request(call: TransportCall): Promise<void> {
    const { request, deadline } = call
    const reader = call.newReader()
    // A copy of the headers: an interceptor may well write into what it is given.
    const options = { ...request, headers: { ...request.headers }, signal: deadline.signal }
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
