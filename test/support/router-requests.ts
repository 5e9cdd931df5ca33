/** What a client-side router sends with the requests of its links, besides what the browser adds. */
export interface RouterRequest {
  readonly router: string
  readonly headers: Readonly<Record<string, string>>
  /** What it adds for a prefetch; undefined where it marks none. */
  readonly prefetch?: Readonly<Record<string, string>>
  readonly get: RouterAnswer
  readonly post: RouterAnswer
}

/** The answer to a start at `PATH`. */
export interface RouterAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: RegExp
}

const EMPTY = /^$/
const RELOAD = /<meta name="turbo-visit-control" content="reload">/
const htmx: RouterAnswer = { status: 200, headers: { 'hx-redirect': 'PATH' }, body: EMPTY }
const inertia: RouterAnswer = { status: 409, headers: { 'x-inertia-location': 'PATH' }, body: EMPTY }
const turbo: RouterAnswer = { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: RELOAD }
const turboForm: RouterAnswer = { status: 303, headers: { location: 'PATH' }, body: EMPTY }
const next: RouterAnswer = { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: EMPTY }
const unpoly: RouterAnswer = {
  status: 200,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'x-up-target': 'body',
    'x-up-method': 'GET',
    'content-security-policy': 'sandbox',
  },
  body: /<meta http-equiv="refresh" content="0; url=PATH">/,
}
const PAGES = 'text/html, application/xhtml+xml'

/** As these packages send them: htmx 2.0, Inertia 3.7, Turbo 8.0, Unpoly 3.14, Next 16.4. */
export const ROUTER_REQUESTS: readonly RouterRequest[] = [
  { router: 'htmx', headers: { accept: 'text/html, */*', 'hx-request': 'true' }, get: htmx, post: htmx },
  {
    router: 'Inertia',
    headers: { accept: PAGES, 'x-requested-with': 'XMLHttpRequest', 'x-inertia': 'true' },
    prefetch: { purpose: 'prefetch' },
    get: inertia,
    post: inertia,
  },
  {
    router: 'Turbo',
    headers: { accept: PAGES, 'x-turbo-request-id': '0f6cdc3c-9d7b-4a7a-8d0c-2f4ab3b4a1a0' },
    prefetch: { 'x-sec-purpose': 'prefetch' },
    get: turbo,
    post: turboForm,
  },
  {
    router: 'a frame of Turbo',
    headers: { accept: PAGES, 'turbo-frame': 'main' },
    prefetch: { 'x-sec-purpose': 'prefetch' },
    get: turbo,
    post: turboForm,
  },
  { router: 'Unpoly', headers: { accept: '*/*', 'x-up-version': '3.14.3' }, get: unpoly, post: unpoly },
  {
    router: 'Next',
    headers: { accept: '*/*', rsc: '1' },
    prefetch: { 'next-router-prefetch': '1' },
    get: next,
    post: next,
  },
  { router: 'a prefetch of Next', headers: { accept: '*/*', 'next-router-prefetch': '1' }, get: next, post: next },
  { router: 'Next, in a route handler', headers: { accept: '*/*', 'next-url': '/' }, get: next, post: next },
]

/** The headers by which a script shows itself, each alone. */
export const SCRIPT_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ...ROUTER_REQUESTS.flatMap(({ headers }) => Object.entries(headers)).filter(([name]) => name !== 'accept'),
  ['x-sec-purpose', 'prefetch'],
  // swup and Barba, whose plugins prefetch.
  ['x-requested-with', 'swup'],
  ['x-barba', 'yes'],
  // As of a proxy that repeats it.
  ['x-requested-with', 'XMLHttpRequest, XMLHttpRequest'],
]
