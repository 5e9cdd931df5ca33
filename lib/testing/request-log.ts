import type { Clock } from './clock'
import type { ProviderRequest } from './http/request'
import { limits } from './limits'
import type { Endpoint, LoggedRequest } from './types'

// Bytes of a character, of an object's property and of an entry, estimated on the high side.
const perCharacter = 2
const perProperty = 100
const perEntry = 500

/** The newest requests to the four endpoints, as many as the limits allow. */
export class RequestLog {
  private _entries: LoggedRequest[] = []
  private _sizes: number[] = []
  private _bytes = 0

  constructor(private readonly _clock: Clock) {}

  get entries(): readonly LoggedRequest[] {
    return [...this._entries]
  }

  add(endpoint: Endpoint, request: ProviderRequest): LoggedRequest {
    const entry: LoggedRequest = {
      endpoint,
      method: request.method,
      path: request.path,
      headers: request.headers,
      query: Object.fromEntries(request.query),
      body: request.body,
      form: Object.fromEntries(request.form),
      at: this._clock.now(),
    }
    const size = sizeOf(entry)
    this._entries.push(entry)
    this._sizes.push(size)
    this._bytes += size
    this._dropOldest()
    return entry
  }

  setStatus(entry: LoggedRequest, status: number): void {
    Object.assign(entry, { status })
  }

  clear(): void {
    this._entries = []
    this._sizes = []
    this._bytes = 0
  }

  /** The newest request stays, however large. */
  private _dropOldest(): void {
    let count = Math.max(0, this._entries.length - limits.requests)
    for (let at = 0; at < count; at += 1) this._bytes -= this._sizes[at] ?? 0
    while (this._bytes > limits.requestBytes && count < this._entries.length - 1) {
      this._bytes -= this._sizes[count] ?? 0
      count += 1
    }
    if (count === 0) return
    this._entries.splice(0, count)
    this._sizes.splice(0, count)
  }
}

function sizeOf({ path, headers, query, body, form }: LoggedRequest): number {
  const texts = perCharacter * (path.length + body.length)
  return perEntry + texts + sizeOfRecord(headers) + sizeOfRecord(query) + sizeOfRecord(form)
}

function sizeOfRecord(record: Readonly<Record<string, string | readonly string[] | undefined>>): number {
  let size = 0
  for (const [name, value] of Object.entries(record)) {
    const length = typeof value === 'string' ? value.length : (value?.join().length ?? 0)
    size += perProperty + perCharacter * (name.length + length)
  }
  return size
}
