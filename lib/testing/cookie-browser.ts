import { parseSetCookie, stringifyCookie } from 'cookie'
import { MAX_COOKIE_LENGTH } from '../limits'
import type { Clock } from './clock'

interface StoredCookie {
  readonly value: string
  readonly endsAt: number
  readonly isStrict: boolean
}

/** The cookies of one browser. It sends all of them to every process of the check, also over plain http. */
export class CookieBrowser {
  readonly #cookies = new Map<string, StoredCookie>()

  constructor(
    private readonly clock: Clock,
    cookies: Iterable<[string, StoredCookie]> = [],
  ) {
    this.#cookies = new Map(cookies)
  }

  /** The `Cookie` header of a request. */
  get header(): string {
    return this.#headerOf(() => true)
  }

  /** The `Cookie` header of a request that another site caused. */
  get crossSiteHeader(): string {
    return this.#headerOf(({ isStrict }) => !isStrict)
  }

  #headerOf(isSent: (cookie: StoredCookie) => boolean): string {
    const valid = [...this.#cookies].filter(([, cookie]) => cookie.endsAt > this.clock.now() && isSent(cookie))
    return stringifyCookie(Object.fromEntries(valid.map(([name, { value }]) => [name, value])), { encode: unchanged })
  }

  /** Takes over the `Set-Cookie` headers of a response. Returns whether a cookie got a new value. */
  receive(lines: readonly string[]): boolean {
    const before = this.header.split('; ')
    for (const line of lines) {
      const { name, value = '', maxAge, expires, sameSite } = parseSetCookie(line, { decode: unchanged })
      const endsAt = maxAge === undefined ? (expires?.getTime() ?? Infinity) : this.clock.now() + maxAge * 1000
      // Browsers drop larger cookies.
      if (name.length + value.length < MAX_COOKIE_LENGTH)
        this.#cookies.set(name, { value, endsAt, isStrict: sameSite === 'strict' })
    }
    return this.header.split('; ').some((cookie) => !before.includes(cookie))
  }

  /** A second browser with a copy of the cookies, as a thief has it. */
  copy(): CookieBrowser {
    return new CookieBrowser(this.clock, this.#cookies)
  }

  /** A second browser whose cookies differ in one character each, in the middle. */
  forge(): CookieBrowser {
    const forged = Array.from(this.#cookies, ([name, { value, ...others }]): [string, StoredCookie] => {
      const middle = Math.floor(value.length / 2)
      const other = value[middle] === 'A' ? 'B' : 'A'
      return [name, { value: value.slice(0, middle) + other + value.slice(middle + 1), ...others }]
    })
    return new CookieBrowser(this.clock, forged)
  }
}

const unchanged = (value: string): string => value
