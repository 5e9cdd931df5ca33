import { createServer, type IncomingMessage, request as requestHTTP, type Server, type ServerResponse } from 'node:http'
import { request as requestHTTPS, type Server as TLSServer } from 'node:https'
import { typeName } from '../values'

type Headers = Record<string, string>

/** How a page starts a login: by a link, or by a form. */
export type Method = 'GET' | 'POST'

/**
 * Sends a request of the test, and resolves to the response.
 * @example
 * const send: SendRequest = (path, init) => hono.request(path, init)
 */
export type SendRequest = (path: string, init: { method: Method; headers: Headers }) => Response | Promise<Response>

/**
 * An agent of supertest, which keeps the cookies.
 * @example
 * const agent: TestAgent = supertest.agent(app)
 */
export interface TestAgent {
  get(path: string): AgentRequest
  /** For a start by POST. */
  post(path: string): AgentRequest
}

/** A request of supertest, which is sent when it is awaited. */
interface AgentRequest {
  set(headers: Headers): PromiseLike<{
    status: number
    headers: Record<string, unknown>
    text?: string
    req?: {
      /** A header of the request, as supertest has sent it. */
      getHeader(name: string): unknown
    }
  }>
}

/**
 * Playwright's `page.request`, or its fixture `request`, as far as {@link signIn} uses it.
 * @example
 * const browserOf = (page: { request: PlaywrightRequest }): TestBrowser => page.request
 */
export interface PlaywrightRequest {
  /** Sends a request with the cookies of the page. */
  fetch(
    url: string,
    options: object,
  ): Promise<{
    /** The status code. */
    status(): number
    /** The headers, each `Set-Cookie` for itself. */
    headersArray(): { name: string; value: string }[]
    /** The bytes of the body. */
    body(): Promise<Uint8Array<ArrayBuffer>>
  }>
  /** Not called: it distinguishes this object from others with a method `fetch`. */
  storageState(): unknown
}

/**
 * What {@link signIn} signs in to, beside a {@link Listener}: a server of `node:http` or `node:https`, listening or not; an
 * origin; an object with `fetch(request)` or `request(path, init)`, such as a Hono application; Playwright's `page.request`;
 * an agent of supertest; or a function `(path, init)` that resolves to a `Response`.
 * @example
 * const browser: TestBrowser = (path, { headers }) => new Response(`${path} ${headers['cookie']}`)
 */
export type TestBrowser =
  | TestAgent
  | SendRequest
  | Server
  | TLSServer
  | string
  | URL
  | { fetch(request: Request, ...others: never[]): Response | Promise<Response> }
  | PlaywrightRequest
  | { request: SendRequest }

/**
 * An Express or Connect application, or another listener of `node:http`, whose second parameter is called `res` or
 * `response`. It is no member of {@link TestBrowser}, so that TypeScript knows the parameters of a function `(path, init)`.
 * @example
 * const listener: Listener = (req, res) => void res.end(req.url)
 */
export type Listener = (req: IncomingMessage, res: ServerResponse) => unknown

export interface OpenBrowser {
  readonly send: TestAgent | SendRequest
  /** Stops what was started for the test. */
  stop(): Promise<void>
}

const KINDS =
  'an Express or Connect application or another listener (req, res), an http.Server, an origin, an object with fetch(request) or request(path, init), an agent of supertest, or a function (path, init) that returns a Response'

const notABrowser = (value: unknown) => new TypeError(`signIn: browser must be ${KINDS}, not ${typeName(value)}`)

/** @throws TypeError for anything else than a {@link TestBrowser} */
export async function openBrowser(browser: TestBrowser | Listener, origin: string): Promise<OpenBrowser> {
  const leave = async (): Promise<void> => {}
  if (typeof browser === 'string' || browser instanceof URL) return { send: overHTTP(originOf(browser)), stop: leave }
  if (isServer(browser)) return overServer(browser)
  if (isListener(browser)) return overServer(createServer(browser))
  if (isAgent(browser)) return { send: checkedAgent(browser), stop: leave }
  if (isSender(browser)) return { send: (path, init) => responseOf(browser(path, init)), stop: leave }
  if (isPlaywrightRequest(browser)) return { send: byPlaywrightRequest(browser, origin), stop: leave }
  if (hasMethod(browser, 'fetch')) return { send: byFetch(browser, origin), stop: leave }
  if (hasMethod(browser, 'request'))
    return { send: (path, init) => responseOf(browser.request(path, init)), stop: leave }
  throw notABrowser(browser)
}

function originOf(value: string | URL): URL {
  const url = URL.canParse(String(value)) ? new URL(value) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new TypeError('signIn: an origin must be a URL such as http://localhost:3000')
}

// Applications of Express and Connect have `handle`, as routers do. Any other function is recognized by its parameters only.
function isListener(browser: unknown): browser is Listener {
  if (typeof browser !== 'function') return false
  if (hasMethod(browser, 'handle')) return hasMethod(browser, 'listen')
  return /^[^()]*\(?[^(),]*,\s*_*res/i.test(String(browser))
}

function isServer(browser: unknown): browser is Server | TLSServer {
  return ['listen', 'address', 'close'].every((name) => hasMethod(browser, name))
}

function isAgent(browser: unknown): browser is TestAgent {
  return hasMethod(browser, 'get') && !hasMethod(browser, 'fetch') && !hasMethod(browser, 'request')
}

/** Other objects have these methods, too: a Map, Headers, an application of Fastify or Nest. Each throws a TypeError then. */
function checkedAgent(agent: TestAgent): TestAgent {
  const by = (name: keyof TestAgent, path: string): AgentRequest => {
    try {
      const request = agent[name](path)
      if (hasMethod(request, 'set')) return request
    } catch {}
    throw notABrowser(agent)
  }
  return { get: (path) => by('get', path), post: (path) => by('post', path) }
}

// Node's own fetch knows no origin, and a class is no function.
function isSender(browser: unknown): browser is SendRequest {
  return typeof browser === 'function' && browser !== fetch && !/^class\b/.test(String(browser))
}

function hasMethod<Name extends string>(
  value: unknown,
  name: Name,
): value is { [Key in Name]: (...args: unknown[]) => unknown } {
  return value !== null && value !== undefined && typeof Reflect.get(Object(value), name) === 'function'
}

async function overServer(server: Server | TLSServer): Promise<OpenBrowser> {
  const isStarted = !server.listening
  if (isStarted) {
    server.listen(0, '127.0.0.1')
    await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))
  }
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new TypeError('signIn: the server listens on no port')
  const scheme = hasMethod(server, 'setSecureContext') ? 'https' : 'http'
  const isAnywhere = ['::', '0.0.0.0'].includes(address.address)
  const host = isAnywhere ? 'localhost' : address.address.includes(':') ? `[${address.address}]` : address.address
  const origin = new URL(`${scheme}://${host}:${address.port}`)
  const stop = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()))
  return { send: overHTTP(origin), stop: isStarted ? stop : async () => {} }
}

/** By Node's own client: its `fetch` replaces `Sec-Fetch-Mode`. */
function overHTTP(origin: URL): SendRequest {
  // A server of a test may have a self-signed certificate.
  const options = origin.protocol === 'https:' ? { rejectUnauthorized: false } : {}
  const request = origin.protocol === 'https:' ? requestHTTPS : requestHTTP
  return (path, { method, headers }) =>
    new Promise((resolve, reject) => {
      request(new URL(path, origin), { ...options, method, headers, agent: false }, (message) => {
        receive(message).then(resolve, reject)
      })
        .on('error', (error) => reject(connectionError(error, origin)))
        .end()
    })
}

function connectionError(error: unknown, { origin }: URL): unknown {
  if (Reflect.get(Object(error), 'code') !== 'ECONNREFUSED') return error
  return new Error(`signIn: nothing listens at ${origin}: start the application first, or give signIn the application`)
}

async function receive(message: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk)
  const { statusCode: status = 500, rawHeaders } = message
  const pairs = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : [],
  )
  return new Response(hasBody(status) ? Buffer.concat(chunks) : null, { status, headers: pairs })
}

function hasBody(status: number): boolean {
  return ![204, 205, 304].includes(status)
}

/** Playwright's `page.request`, or its fixture `request`: its cookies are those of the page. */
function isPlaywrightRequest(browser: unknown): browser is PlaywrightRequest {
  return hasMethod(browser, 'fetch') && hasMethod(browser, 'storageState')
}

function byPlaywrightRequest(browser: PlaywrightRequest, origin: string): SendRequest {
  return async (path, { method, headers }) => {
    const response = await browser.fetch(new URL(path, origin).href, { method, headers, maxRedirects: 0 })
    const pairs = response.headersArray().map(({ name, value }): [string, string] => [name, value])
    const status = response.status()
    return new Response(hasBody(status) ? await response.body() : null, { status, headers: pairs })
  }
}

function byFetch(browser: { fetch(request: Request): unknown }, origin: string): SendRequest {
  return (path, { method, headers }) => {
    const request = new Request(new URL(path, origin), { method, headers, redirect: 'manual' })
    if (request.headers.get('sec-fetch-site') === null)
      throw new Error(
        "signIn: the Request of this environment drops Sec-Fetch-Site, as a browser's does: run the test in the environment of Node",
      )
    return responseOf(browser.fetch(request))
  }
}

async function responseOf(result: unknown): Promise<Response> {
  const response = await result
  if (isResponse(response)) return response
  throw new TypeError(`signIn: a Response was expected, not ${typeName(response)}`)
}

/** A framework may have its own class. */
function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'status' in value && hasMethod(value, 'text')
}
