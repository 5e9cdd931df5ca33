import type { Clock } from '../clock'
import type { Endpoint, LoggedRequest } from '../types'
import type { ProviderRequest } from './request'

const MAX_REQUESTS = 20_000

/** The newest requests to the four endpoints. */
export class RequestLog {
  private _entries: LoggedRequest[] = []

  constructor(private readonly _clock: Clock) {}

  get entries(): readonly LoggedRequest[] {
    return this._entries.slice(-MAX_REQUESTS)
  }

  add(endpoint: Endpoint, { method, path, headers, query, body, form }: ProviderRequest): LoggedRequest {
    const parameters = { query: Object.fromEntries(query), form: Object.fromEntries(form) }
    const entry: LoggedRequest = { endpoint, method, path, headers, body, ...parameters, at: this._clock.now() }
    this._entries.push(entry)
    // Not at every request, because it copies all of them.
    if (this._entries.length > 1.1 * MAX_REQUESTS) this._entries = this._entries.slice(-MAX_REQUESTS)
    return entry
  }

  clear(): void {
    this._entries = []
  }
}
