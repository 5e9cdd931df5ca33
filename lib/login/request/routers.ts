import { escapeUTF8 } from 'entities/escape'
import type { HTTPResponse } from '../pages/page'

interface RequestHeaders {
  header(name: string): string | undefined
}

/** A client-side router, which requests by a script what its user clicks. */
export interface Router {
  /** Headers of its requests, of which each tells it, in lower case. No browser sends one with a navigation. */
  readonly headers: readonly string[]
  /** What makes it leave the navigation to the browser. A prefetch gets the same: some keep it for the click. */
  answer(path: string, method: string): HTTPResponse
}

const UNPOLY = { 'X-Up-Target': 'body', 'X-Up-Method': 'GET' }

const LEAVE_TO_BROWSER: readonly Router[] = [
  // htmx: https://htmx.org/headers/hx-redirect/
  { headers: ['hx-request'], answer: (path) => responseOf(200, { 'HX-Redirect': path }) },
  // Inertia: https://inertiajs.com/docs/v2/the-basics/redirects#external-redirects
  { headers: ['x-inertia'], answer: (path) => responseOf(409, { 'X-Inertia-Location': path }) },
  // Turbo: https://turbo.hotwired.dev/reference/attributes#meta-tags. The answer to its form must be a redirect.
  {
    headers: ['x-turbo-request-id', 'turbo-frame'],
    answer: (path, method) =>
      method === 'POST'
        ? responseOf(303, { Location: path })
        : page('<meta name="turbo-visit-control" content="reload">'),
  },
  // Unpoly: https://unpoly.com/up.protocol. It has no word for this, but renders elements, and browsers obey this one.
  // It is another page of the history for it, so that Back leads back, only after a GET.
  {
    headers: ['x-up-version'],
    answer: (path) => page(`<body><meta http-equiv="refresh" content="0; url=${escapeUTF8(path)}">`, UNPOLY),
  },
  // Next: https://nextjs.org/docs/app/getting-started/linking-and-navigating. Whatever is not of its content type, it
  // loads as a page. Its own route handlers see only Next-Url.
  {
    headers: ['rsc', 'next-router-prefetch', 'next-url'],
    answer: () => responseOf(200, { 'Content-Type': 'text/plain; charset=utf-8' }),
  },
]

// What Turbo says of a prefetch, because no script can set Sec-Purpose; and Barba, which navigates after a refusal.
const SCRIPT_HEADERS = ['x-sec-purpose', 'x-barba']

/**
 * Whether a header says that a script made the request: for browsers without Fetch Metadata. A foreign page can send
 * none of these headers unasked. Android's WebView names its program in X-Requested-With, also with navigations: by a name
 * with a dot, as all of them have.
 */
export function isMarkedAsScript(req: RequestHeaders): boolean {
  if (/^[^.]+$/.test(req.header('x-requested-with') ?? '')) return true
  return SCRIPT_HEADERS.some((name) => req.header(name) !== undefined) || routerOf(req) !== undefined
}

export function routerOf(req: RequestHeaders): Router | undefined {
  return LEAVE_TO_BROWSER.find(({ headers }) => headers.some((name) => req.header(name) !== undefined))
}

/** As the answer to a navigation, which it never is, it does nothing: a sandbox does not refresh, and so cannot loop. */
function page(html: string, headers: Readonly<Record<string, string>> = {}): HTTPResponse {
  const all = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': 'sandbox', ...headers }
  return responseOf(200, all, `<!doctype html><title>Sign in</title>${html}\n`)
}

function responseOf(status: number, headers: Readonly<Record<string, string>>, body = ''): HTTPResponse {
  return { status, headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...headers }, body }
}
