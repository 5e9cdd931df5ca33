import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { AnswerReader } from './answer-reader'
import type { Deadline } from './deadline'

/**
 * Sends one request and hands its answer to the reader as it comes: undici's `request()` without the stream, which costs
 * more CPU than all else that a login does.
 *
 * Resolves one turn of the event loop after the last byte, when the connection is free again: asked sooner, undici would
 * open a second one for the profile.
 *
 * `onThrough` is called when undici is done with the request, which may be long after a deadline has ended.
 *
 * @throws the deadline's reason, what the reader threw, or undici's own error
 */
export function dispatch(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  reader: AnswerReader,
  deadline: Deadline,
  onThrough: () => void = () => {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(options, new DispatchHandler(reader, deadline, resolve, reject, onThrough))
  })
}

class DispatchHandler implements Dispatcher.DispatchHandler {
  readonly #reader: AnswerReader
  readonly #deadline: Deadline
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  readonly #unwatch: () => void
  readonly #onThrough: () => void
  #controller: Dispatcher.DispatchController | undefined

  constructor(
    reader: AnswerReader,
    deadline: Deadline,
    resolve: () => void,
    reject: (error: unknown) => void,
    onThrough: () => void,
  ) {
    this.#onThrough = onThrough
    this.#reader = reader
    this.#deadline = deadline
    this.#resolve = resolve
    this.#reject = reject
    this.#unwatch = deadline.onEnd(this.#giveUp)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#deadline.ended) this.#giveUp(this.#deadline.ended.reason)
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 102 and 103 come before the answer.
    if (status >= 200) this.#read(() => this.#reader.start(status, headers))
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#read(() => this.#reader.add(chunk))
  }

  onResponseEnd(): void {
    this.#unwatch()
    // After undici has begun that turn itself, which it does once this method has returned.
    queueMicrotask(() =>
      setImmediate(() => {
        this.#onThrough()
        this.#resolve()
      }),
    )
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#onThrough()
    this.#unwatch()
    this.#reject(error)
  }

  #read(read: () => void): void {
    try {
      read()
    } catch (error) {
      this.#reject(error)
      this.#unwatch()
      // After what has come already is parsed: an answer that came whole leaves its connection for the next request.
      queueMicrotask(() => this.#abort(error))
    }
  }

  // Before the request is on a connection there is nothing to abort yet, and nobody waits for one to open.
  readonly #giveUp = (reason: unknown): void => {
    this.#reject(reason)
    this.#unwatch()
    this.#abort(reason)
  }

  #abort(reason: unknown): void {
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'))
  }
}
