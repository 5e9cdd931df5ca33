import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { isPage } from '../client/http/page'
import { isObject, type JSONObject, type JSONValue, parseJSON } from '../client/json'
import { ProbeError } from './probe-error'

const MAX_BODY_BYTES = 64 * 1024
const MAX_CHUNKS = 2000
const MAX_INFORMATIONAL = 8
// Where a script's warnings end, the JSON begins; each attempt parses the rest.
const MAX_ATTEMPTS = 20

/** What a site has answered. All of it comes from outside. */
export interface ProbeResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The first 64 KiB. */
  readonly text: string
  /** Whether the body is HTML for people. */
  readonly isPage: boolean
  /** The JSON of the body, an object or an array; undefined if there is none. */
  readonly json: JSONObject | JSONValue[] | undefined
  /** Whether other text precedes the JSON, such as the warnings of a script. */
  readonly hasWarnings: boolean
  /** Milliseconds from the request to the last byte, including the connection if it was new. */
  readonly duration: number
}

/** Records one response, up to a deadline. */
export class ResponseRecorder implements Dispatcher.DispatchHandler {
  readonly response: Promise<ProbeResponse>
  readonly #startedAt = performance.now()
  readonly #timer: NodeJS.Timeout
  readonly #body = Buffer.alloc(MAX_BODY_BYTES)
  #size = 0
  #chunks = 0
  #informational = 0
  #hasEnded = false
  #isSettled = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #controller: Dispatcher.DispatchController | undefined
  #resolve: (response: ProbeResponse) => void = () => {}
  #reject: (error: ProbeError) => void = () => {}

  /** @param timeout milliseconds from now to the end of the body */
  constructor(timeout: number) {
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#timer = setTimeout(() => this.#fail(ProbeError.timeout(timeout)), timeout)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) {
      this.#status = status
      this.#headers = headers
    } else if (++this.#informational > MAX_INFORMATIONAL) {
      this.#fail(new ProbeError('Too many responses came before the response (1xx).'))
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // Copied: a chunk is a view of its socket's read buffer.
    this.#size += chunk.copy(this.#body, this.#size)
    this.#chunks += 1
    // A page may be large, and its beginning says enough.
    if (this.#size === MAX_BODY_BYTES || this.#chunks > MAX_CHUNKS) this.#finish()
  }

  onResponseEnd(): void {
    this.#hasEnded = true
    this.#finish()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#hasEnded = true
    this.#fail(ProbeError.of(error))
  }

  #finish(): void {
    // What was read at once is delivered chunk by chunk, also beyond a limit.
    if (this.#isSettled) return
    this.#settle()
    const text = this.#body.toString('utf8', 0, this.#size)
    const duration = performance.now() - this.#startedAt
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      text,
      isPage: isPage(text),
      duration,
      ...readJSON(text),
    })
    this.#abort()
  }

  #fail(error: ProbeError): void {
    this.#settle()
    this.#reject(error)
    this.#abort()
  }

  #settle(): void {
    this.#isSettled = true
    clearTimeout(this.#timer)
  }

  #abort(): void {
    const controller = this.#controller
    // After a complete response the connection is used again. Otherwise aborted, but not within undici's parser.
    if (!this.#hasEnded) setImmediate(() => controller?.abort(new Error('enough')))
  }
}

function readJSON(text: string): Pick<ProbeResponse, 'json' | 'hasWarnings'> {
  const starts = [...text.matchAll(/[{[]/g)].slice(0, MAX_ATTEMPTS)
  for (const { index } of starts) {
    const json = tryParse(text.slice(index))
    if (json !== undefined) return { json, hasWarnings: text.slice(0, index).trim() !== '' }
  }
  return { json: undefined, hasWarnings: false }
}

function tryParse(text: string): JSONObject | JSONValue[] | undefined {
  try {
    const value = parseJSON(text)
    return Array.isArray(value) || isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
