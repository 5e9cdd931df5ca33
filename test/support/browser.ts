import { CookieJar } from 'tough-cookie'
import { Agent } from 'undici'
import { providerNavigation, sameOriginNavigation } from '../../lib/testing'

/** What came back to a browser. */
export interface BrowserAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  /** The Location header, or an empty string. */
  readonly location: string
}

/** What a browser sends beside the address. */
export interface BrowserRequest {
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

// Many browsers, one pool: as many sockets as the tests have requests under way.
let agent: Agent | undefined

/** A browser with cookies of its own that does not follow redirects by itself. */
export class Browser {
  readonly #jar = new CookieJar(undefined, { allowSpecialUseDomain: true, rejectPublicSuffixes: false })

  /** `always` goes along with every request, as the headers of a proxy do. */
  constructor(private readonly always: Readonly<Record<string, string>> = {}) {}

  async request(url: string, { method = 'GET', headers = {}, body }: BrowserRequest = {}): Promise<BrowserAnswer> {
    const { origin, pathname, search } = new URL(url)
    const cookie = await this.#jar.getCookieString(url)
    agent ??= new Agent({ connections: 512 })
    const response = await agent.request({
      origin,
      path: pathname + search,
      method,
      headers: { ...(cookie && { cookie }), ...this.always, ...headers },
      ...(body !== undefined && { body }),
    })
    // Before anything else is waited for: a connection that ends meanwhile would have nobody to tell.
    const text = await response.body.text()
    for (const line of [response.headers['set-cookie'] ?? []].flat()) await this.#jar.setCookie(line, url)
    const location = response.headers['location']
    return {
      status: response.statusCode,
      headers: response.headers,
      body: text,
      location: typeof location === 'string' ? location : '',
    }
  }

  /** Follows a link on a page of the same origin. */
  follow(url: string, request: BrowserRequest = {}): Promise<BrowserAnswer> {
    return this.request(url, { ...request, headers: { ...sameOriginNavigation, ...request.headers } })
  }

  /** Arrives by a redirect of the provider. */
  comeBack(url: string, request: BrowserRequest = {}): Promise<BrowserAnswer> {
    return this.request(url, { ...request, headers: { ...providerNavigation, ...request.headers } })
  }

  /** The cookies that a request to the URL would carry. */
  cookies(url: string): Promise<string> {
    return this.#jar.getCookieString(url)
  }
}

/** Closes the sockets that all browsers share. A later request opens new ones. */
export async function closeBrowsers(): Promise<void> {
  const closing = agent
  agent = undefined
  await closing?.close()
}
