import { types } from 'node:util'
import { escapeUTF8 } from 'entities'
import { type HTTPResponse, pageHeaders, relativeToItself, renderPage, WHOLE_PAGE_GUARD } from './page'

/**
 * What the page between an unverified start and the login is about.
 *
 * @example
 * ({ path, method }: ConfirmPage) => `<form method="${method}" action="${escape(path)}"><button>Go on</button></form>`
 */
export interface ConfirmPage {
  /** Path and query that start the login, as the application sees them. Escape it in HTML. */
  readonly path: string
  /** The method by which the start came, and so the one that the application serves. */
  readonly method: 'GET' | 'POST'
  /** Origin of the provider. */
  readonly providerOrigin: string
}

/**
 * Renders an application's own confirm page: a whole HTML document whose link or form leads to `path`.
 *
 * @example
 * const confirmPage: RenderConfirmPage = ({ path }) => `<!doctype html><title>Sign in</title><a href="${escape(path)}">Go on</a>`
 */
export type RenderConfirmPage = (page: ConfirmPage) => string

// A page of the application's own may use its own styles, fonts and pictures; it may not run scripts either.
const OWN_PAGE_POLICY = ["style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'"]

/**
 * A start that no page of the application led to (typed, mailed, or redirected by a login wall) gets this page. Its link or button leads to the
 * same URL: that click, made on the application's own origin and not in its first moments, is the proof.
 */
export function confirmPage(page: ConfirmPage, render?: RenderConfirmPage): HTTPResponse {
  const { method, providerOrigin } = page
  if (render) return ownPage(render(page), providerOrigin)
  const path = escapeUTF8(relativeToItself(page.path))
  const provider = escapeUTF8(new URL(providerOrigin).host)
  const action =
    method === 'GET'
      ? `<a href="${path}" rel="nofollow">Continue to ${provider}</a>`
      : `<form method="post" action="${path}"><button>Continue to ${provider}</button></form>`
  const main = `<h1>Sign in with ${provider}?</h1>\n<p>You are about to leave this site to sign in.</p>\n${action}`
  return renderPage({ title: 'Sign in', main, providerOrigin })
}

// The guard of the whole page stands in front, where nothing can come before it or swallow it: a part of the head.
function ownPage(html: unknown, providerOrigin: string): HTTPResponse {
  if (typeof html !== 'string') {
    // Whatever becomes of a promise, its rejection must not end the process.
    if (types.isPromise(html)) html.catch(() => {})
    throw new TypeError('confirmPage must return a string, and no promise of one')
  }
  // Behind the doctype, which must come first: without it browsers are in quirks mode.
  const [doctype = ''] = /^(?:\s|<!--(?:(?!-->)[\s\S])*-->|<\?[^>]*>)*<!doctype[^>]*>/i.exec(html) ?? []
  const body = `${doctype}\n${WHOLE_PAGE_GUARD}\n${html.slice(doctype.length)}`
  return { status: 200, headers: pageHeaders(OWN_PAGE_POLICY, providerOrigin), body }
}
