import type { Clock } from './clock'
import type { ProviderRequest } from './http/request'
import type { Endpoint, LoggedRequest } from './types'

/** What came to the four endpoints. */
export class RequestLog {
  private _entries: LoggedRequest[] = []

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
    this._entries.push(entry)
    return entry
  }

  setStatus(entry: LoggedRequest, status: number): void {
    Object.assign(entry, { status })
  }

  clear(): void {
    this._entries = []
  }
}
