import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Deadline } from '../deadline'
import type { ResponseReader } from './response-reader'
import type { TransportCall } from './transport'

/**
 * Sends one request and streams its response to a reader: undici's `request()` without the Node stream, which costs
 * more CPU than the rest of a login.
 *
 * Settles when undici is done with the request; after a complete response one turn of the event loop later, when the
 * connection is free again: before that, undici would open a second one for the profile. Settles at once when the
 * deadline ends.
 *
 * @throws the deadline's reason, what the reader threw, or undici's own error
 */
export function dispatch(dispatcher: Dispatcher, call: TransportCall, observer: RequestObserver): Promise<void> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(call.request, new DispatchHandler(call, observer, resolve, reject))
  })
}

/** Is told of the progress of one request. */
export interface RequestObserver {
  /** The request gets its connection. */
  onSent?(): void
  /** undici is done with the request, which may be long after the deadline; with the error, if any. */
  onDone(error?: unknown): void
}

class DispatchHandler implements Dispatcher.DispatchHandler {
  readonly #deadline: Deadline
  readonly #reader: ResponseReader
  readonly #observer: RequestObserver
  readonly #resolve: () => void
  readonly #rejectWith: (reason: unknown) => void
  #controller: Dispatcher.DispatchController | undefined
  /** What the reader threw. */
  #refusal: unknown

  constructor(call: TransportCall, observer: RequestObserver, resolve: () => void, reject: (reason: unknown) => void) {
    this.#deadline = call.deadline
    this.#reader = call.newReader()
    this.#observer = observer
    this.#resolve = resolve
    this.#rejectWith = reject
    this.#deadline.addListener(this.#onDeadline)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { ended } = this.#deadline
    // Throwing instead of aborting keeps the connection for another request.
    if (ended) throw ended.reason
    this.#observer.onSent?.()
    this.#controller = controller
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Kept until the end otherwise, beside as many trailers.
    controller.rawHeaders = null
    this.#read((reader) => (status < 200 ? reader.informational() : reader.start(status, headers)))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read((reader) => reader.add(chunk))
  }

  onResponseEnd(): void {
    this.#deadline.removeListener(this.#onDeadline)
    // Queued after undici's own setImmediate, which it schedules once this method has returned.
    queueMicrotask(() => setImmediate(this.#onFree))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const reason = this.#refusal ?? error
    this.#observer.onDone(reason)
    this.#reject(reason)
  }

  readonly #onDeadline = (reason: unknown): void => {
    this.#reject(reason)
    this.#abort(reason)
  }

  /** The connection is free again. */
  readonly #onFree = (): void => {
    this.#observer.onDone(this.#refusal)
    if (this.#refusal === undefined) this.#resolve()
    else this.#reject(this.#refusal)
  }

  #read(read: (reader: ResponseReader) => void): void {
    // A refused response may have thousands of further chunks, and an error for each costs CPU.
    if (this.#refusal !== undefined) return
    try {
      read(this.#reader)
    } catch (error) {
      this.#refusal = error
      // Deferred until the received bytes are parsed: after a complete response the connection can be reused.
      queueMicrotask(() => this.#abort(error))
    }
  }

  #reject(reason: unknown): void {
    this.#deadline.removeListener(this.#onDeadline)
    this.#rejectWith(reason)
  }

  #abort(reason: unknown): void {
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'))
  }
}
