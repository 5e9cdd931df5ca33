import type { Pool } from 'undici'

/** A response as seen by a browser. */
export interface Seen {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A navigation. */
export interface Visit {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  /** Whether cookies with SameSite=Lax are sent. */
  readonly lax: boolean
}

/** Cookies by name, as the browser sends them. */
export type Cookies = ReadonlyMap<string, string>

/**
 * A browser that ignores cookie expiry times (but obeys deletions), so that only the application can detect that a
 * login has expired.
 */
export class ModelBrowser {
  cookies: Cookies = new Map()
  readonly #app: Pool

  constructor(app: Pool) {
    this.#app = app
  }

  async visit(visit: Visit): Promise<Seen> {
    const seen = await this.visitWith(visit.lax ? this.cookies : new Map(), visit)
    if (visit.lax) this.#keep([seen.headers['set-cookie'] ?? []].flat())
    return seen
  }

  /** A visit with the given cookies, whose response does not change this browser. */
  async visitWith(cookies: Cookies, { path, method, headers }: Visit): Promise<Seen> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await this.#app.request({ path, method, headers: { ...headers, ...(cookie && { cookie }) } })
    return { status: response.statusCode, headers: response.headers, body: await response.body.text() }
  }

  #keep(lines: readonly string[]): void {
    const cookies = new Map(this.cookies)
    for (const line of lines) {
      const [pair = ''] = line.split(';', 1)
      const name = pair.slice(0, pair.indexOf('='))
      if (/;\s*max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, pair.slice(name.length + 1))
    }
    this.cookies = cookies
  }
}

/** The session id in the cookies. */
export function sessionIDIn(cookies: Cookies): string {
  const [signed = ''] = decodeURIComponent(cookies.get('connect.sid') ?? '')
    .slice('s:'.length)
    .split('.')
  return signed
}
