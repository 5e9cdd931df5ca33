import { sameOriginNavigation } from '../../lib/testing'

/** A browser whose requests go to a function as `Request`, and which keeps the cookies of the response. */
export class WebBrowser {
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  /** @param cookie a cookie that the browser has from the beginning */
  constructor(origin: string, cookie?: string) {
    this.#origin = origin
    if (cookie !== undefined) this.#keep(cookie)
  }

  /** The cookies that the next request carries. */
  get cookie(): string {
    return Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Navigates to a path, from a page of the given site. */
  async send(
    path: string,
    site: 'same-origin' | 'cross-site',
    respond: (request: Request) => Promise<Response>,
  ): Promise<Response> {
    const cookie = this.cookie && { cookie: this.cookie }
    const headers = { ...sameOriginNavigation, accept: 'text/html,*/*;q=0.8', 'sec-fetch-site': site, ...cookie }
    const response = await respond(new Request(this.#origin + path, { headers }))
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}
