/** The response of an endpoint or a page. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string | Uint8Array
}

/** A redirect without a body. */
export function redirectTo(location: string, status = 302, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { location, 'cache-control': 'no-store', ...headers }, body: '' }
}
