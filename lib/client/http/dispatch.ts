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
 * `onDone` is called when undici is done with the request, which may be long after the deadline; with the error, if any.
 * `onSent` is called when the request gets its connection.
 *
 * @throws the deadline's reason, what the reader threw, or undici's own error
 */
export function dispatch(
  dispatcher: Dispatcher,
  call: TransportCall,
  onDone: (error?: unknown) => void,
  onSent: () => void = () => {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { request, deadline } = call
    const reader = call.newReader()
    dispatcher.dispatch(request, new DispatchHandler({ reader, deadline, resolve, reject, onDone, onSent }))
  })
}

interface Call {
  readonly reader: ResponseReader
  readonly deadline: Deadline
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
  readonly onDone: (error?: unknown) => void
  readonly onSent: () => void
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
    // Throwing instead of aborting keeps the connection for another request.
    if (ended) throw ended.reason
    this.#call.onSent()
    this.#controller = controller
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#read((reader) => (status < 200 ? reader.informational() : reader.start(status, headers)))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read((reader) => reader.add(chunk))
  }

  onResponseEnd(): void {
    const { resolve, onDone } = this.#call
    this.#unwatch()
    const freed = (): void => {
      onDone(this.#refusal)
      if (this.#refusal === undefined) resolve()
      else this.#reject(this.#refusal)
    }
    // Queued after undici's own setImmediate, which it schedules once this method has returned.
    queueMicrotask(() => setImmediate(freed))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const reason = this.#refusal ?? error
    this.#call.onDone(reason)
    this.#reject(reason)
  }

  #read(read: (reader: ResponseReader) => void): void {
    // A refused response may have thousands of further chunks, and an error for each costs CPU.
    if (this.#refusal !== undefined) return
    try {
      read(this.#call.reader)
    } catch (error) {
      this.#refusal = error
      // Deferred until the received bytes are parsed: after a complete response the connection can be reused.
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
