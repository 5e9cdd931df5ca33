import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { CookieBrowser } from './cookie-browser'
import { redirectURLWith } from './endpoints/oauth'
import { providerNavigation, sameOriginNavigation } from './navigation'
import type { FakeProvider } from './provider'
import type { Application, FakeUser } from './types'

type Headers = Record<string, string>

/**
 * What sends the requests of a test: an agent of supertest, which keeps the cookies, or a function such as `app.request`
 * of Hono.
 *
 * @example
 * const browser: TestBrowser = (path, { headers }) => new Response(`${path} ${headers['cookie']}`)
 */
export type TestBrowser =
  | { get(path: string): { set(headers: Headers): PromiseLike<{ status: number; headers: Record<string, unknown> }> } }
  | ((path: string, init: { headers: Headers }) => Response | Promise<Response>)

/**
 * Signs a person in to the application under test: its start, the approval at the provider, its callback. Sign several
 * people in one after another: what is refused meanwhile, in this process, is taken for the person's.
 *
 * @param options `start`: the path of the route that starts the login, by default `/auth/social-login`. `user`: who
 *   signs in, by default the provider's first person.
 * @returns where the callback redirects, or `''`, and the `Cookie` header of the person's next requests, which an agent
 *   sends by itself
 * @throws Error with cause and cure when the start does not lead to this provider, or the callback fails
 * @example
 * await signIn(browser, { provider }) // with `const browser = supertest.agent(app)`
 * await browser.get('/profile').expect(200)
 */
export async function signIn(
  browser: TestBrowser,
  options: { provider: FakeProvider; start?: string; user?: Pick<FakeUser, 'user_id'> },
): Promise<{ location: string; cookie: string }> {
  const { provider, start = '/auth/social-login', user = provider.users[0] } = options
  const cookies = new CookieBrowser(provider.clock)
  const started = await navigate(browser, 'start', start, sameOriginNavigation, cookies)
  const { appID, redirectURL } = applicationOf(started, `signIn: the start ${start}`, provider)
  const authKey = provider.issueAuthKey({ appID, userID: user?.user_id ?? '' })
  const { pathname, search } = new URL(redirectURLWith(authKey, redirectURL, provider.behaviours))
  const { status, location } = await navigate(browser, 'callback', pathname + search, providerNavigation, cookies)
  const isExchanged = provider.requests.some(({ form, query }) => (form['auth_key'] ?? query['auth_key']) === authKey)
  if (status < 400 && isExchanged) return { location, cookie: cookies.header }
  throw new Error(`signIn: the callback ${pathname} answered ${status}, and signed nobody in: ${CALLBACK_CURE}`)
}

const CALLBACK_CURE =
  "register a redirectURL with the path of the strategy's callbackURL, and see the log of the application (NODE_DEBUG=passport-social-login)."
const PAGE_CURE =
  "either it is not the strategy's route (give its path as start), or it is the confirm page, because the request did not look like a click on a page of the application (pass on the headers that signIn gives; fetch of Node replaces Sec-Fetch-Mode)."

interface Answer {
  readonly status: number
  readonly location: string
}

/** @throws Error when the application refuses the request, and runs in the process of the test */
async function navigate(
  browser: TestBrowser,
  phase: 'start' | 'callback',
  path: string,
  headers: Headers,
  cookies: CookieBrowser,
): Promise<Answer> {
  const refusals: string[] = []
  const listener = (message: unknown): void => {
    const { code, error }: { code?: string; error?: Error } = Object(message)
    if (code !== undefined) refusals.push(error === undefined ? code : `${code}: ${error.message}`)
  }
  const channel = `tracing:passport-social-login:${phase}:asyncEnd`
  subscribe(channel, listener)
  const answer = await send(browser, path, headers, cookies).finally(() => unsubscribe(channel, listener))
  if (refusals.length === 0) return answer
  throw new Error(`signIn: the ${phase} ${path.split('?', 1).join()} ended with ${refusals.join()}`)
}

async function send(browser: TestBrowser, path: string, headers: Headers, cookies: CookieBrowser): Promise<Answer> {
  if (typeof browser !== 'function') {
    const { status, headers: received } = await browser.get(path).set(headers)
    cookies.receive([received['set-cookie'] ?? []].flat().map(String))
    return { status, location: String(received['location'] ?? '') }
  }
  const { status, headers: received } = await browser(path, { headers: { ...headers, cookie: cookies.header } })
  cookies.receive(received.getSetCookie())
  return { status, location: received.get('location') ?? '' }
}

/** The application that the start has sent the browser to the provider for. */
function applicationOf({ status, location }: Answer, theStart: string, provider: FakeProvider): Application {
  if (location === '') throw new Error(`${theStart} answered ${status} and no redirect to the provider: ${PAGE_CURE}`)
  const [address, query] = location.split('?')
  if (address !== `${provider.oauthBase}/oauth`) {
    throw new Error(`${theStart} leads to ${address}, not to this provider: give the strategy its baseURL.`)
  }
  const appID = new URLSearchParams(query).get('app_id')
  const application = provider.applications.find((each) => each.appID === appID)
  if (application !== undefined) return application
  throw new Error(`${theStart} names an application that is not registered here: give the strategy its clientID.`)
}
