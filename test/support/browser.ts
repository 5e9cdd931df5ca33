import { CookieJar } from 'tough-cookie'
import { Agent } from 'undici'
import { providerNavigation, sameOriginNavigation } from '../../lib/testing'

/** A response to a browser. */
export interface BrowserAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  /** The Location header, or an empty string. */
  readonly location: string
}

/** Options of a browser's request. */
export interface BrowserRequest {
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'PUT' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

// One pool for all browsers: as many sockets as there are concurrent requests.
let agent: Agent | undefined

/** A browser with its own cookies that does not follow redirects. */
export class Browser {
  readonly #jar = new CookieJar(undefined, { allowSpecialUseDomain: true, rejectPublicSuffixes: false })

  /** `always` is added to every request, as a proxy's headers are. */
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
    // Read before any other await: an error of the connection would be unhandled until then.
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

  /** Follows a redirect of the provider. */
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
