import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { AnswerReader } from './answer-reader'
import type { Deadline } from './deadline'
import type { TransportCall } from './transport'

/**
 * Sends one request and hands its answer to a reader as it comes: undici's `request()` without the stream, which costs
 * more CPU than all else that a login does.
 *
 * Settles when undici is done with the request, after a whole answer one turn of the event loop later, when the
 * connection is free again: asked sooner, undici would open a second one for the profile. Only a deadline that ends is
 * not kept waiting.
 *
 * `onThrough` is called when undici is done with the request, which may be long after a deadline has ended; with the
 * error, if it ended in one.
 *
 * @throws the deadline's reason, what the reader threw, or undici's own error
 */
export function dispatch(
  dispatcher: Dispatcher,
  call: TransportCall,
  onThrough: (error?: unknown) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { request, deadline } = call
    const reader = call.newReader()
    dispatcher.dispatch(request, new DispatchHandler({ reader, deadline, resolve, reject, onThrough }))
  })
}

interface Call {
  readonly reader: AnswerReader
  readonly deadline: Deadline
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
  readonly onThrough: (error?: unknown) => void
}

class DispatchHandler implements Dispatcher.DispatchHandler {
  readonly #call: Call
  readonly #unwatch: () => void
  #controller: Dispatcher.DispatchController | undefined
  /** What the reader threw. */
  #refusal: unknown

  constructor(call: Call) {
    this.#call = call
    this.#unwatch = call.deadline.onEnd((reason) => {
      this.#reject(reason)
      this.#abort(reason)
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { ended } = this.#call.deadline
    // Thrown and not aborted: the connection stays, for another request.
    if (ended) throw ended.reason
    this.#controller = controller
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#read((reader) => (status < 200 ? reader.early() : reader.start(status, headers)))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read((reader) => reader.add(chunk))
  }

  onResponseEnd(): void {
    const { resolve, onThrough } = this.#call
    this.#unwatch()
    const freed = (): void => {
      onThrough(this.#refusal)
      if (this.#refusal === undefined) resolve()
      else this.#reject(this.#refusal)
    }
    // After undici has begun that turn itself, which it does once this method has returned.
    queueMicrotask(() => setImmediate(freed))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const reason = this.#refusal ?? error
    this.#call.onThrough(reason)
    this.#reject(reason)
  }

  #read(read: (reader: AnswerReader) => void): void {
    try {
      read(this.#call.reader)
    } catch (error) {
      this.#refusal ??= error
      // After what has come already is parsed: an answer that came whole leaves its connection for the next request.
      queueMicrotask(() => this.#abort(error))
    }
  }

  #reject(reason: unknown): void {
    this.#unwatch()
    this.#call.reject(reason)
  }

  #abort(reason: unknown): void {
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'))
  }
}
