import { escapeUTF8 } from 'entities/escape'
import { refusePromise } from '../../promises'
import { type HTTPResponse, inertAtFirst, pageHeaders, relativePath, renderPage, WHOLE_PAGE_GUARD } from './page'

/**
 * Data for the page between an unverified start and the login.
 * @example
 * const confirmPage = ({ path, method }: ConfirmPage) =>
 *   `<form method="${method}" action="${escapeHTML(path)}"><button>Go on</button></form>`
 */
export interface ConfirmPage {
  /** Path and query that start the login, as the application sees them. Escape it in HTML. */
  readonly path: string
  /** The method of the start, which the application's route therefore accepts. */
  readonly method: 'GET' | 'POST'
  /** Origin of the provider. */
  readonly providerOrigin: string
  /** What people call the provider: the option `displayName`, or the host of its login page. Escape it in HTML. */
  readonly displayName: string
}

/**
 * Renders an application's own confirm page: a whole HTML document whose link or form points to `path`. It may use
 * styles, fonts and pictures of this origin, and no script. It appears after a moment, so that a click meant for
 * another page does not press it.
 * @example
 * const confirmPage: RenderConfirmPage = ({ path }) =>
 *   `<!doctype html><title>Sign in</title><a href="${escapeHTML(path)}">Go on</a>`
 */
export type RenderConfirmPage = (page: ConfirmPage) => string

const OWN_PAGE_POLICY = ["style-src 'self' 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'"]

/**
 * The query parameter that the confirm page adds. Any link can have the value 1, but none that of `confirmationAfter`.
 */
export const CONFIRMED_PARAMETER = 'social_login_confirmed'

/** The page's link or button requests the start again: that click, on the application's own origin, is the proof. */
export function confirmPage(page: ConfirmPage, render?: RenderConfirmPage): HTTPResponse {
  const { method, providerOrigin } = page
  if (render) return ownPage(render(page), providerOrigin)
  const path = escapeUTF8(relativePath(page.path, page.path))
  const provider = escapeUTF8(page.displayName)
  const label = `Continue to ${provider}`
  // Only our style shows a `hidden` element. If another policy blocks it, and so the guard, nothing can be pressed.
  const action =
    method === 'GET'
      ? inertAtFirst(`<a href="${path}" rel="nofollow" hidden>${label}</a>`, label)
      : `<form method="post" action="${path}">${inertAtFirst(`<button hidden>${label}</button>`, label)}</form>`
  const main = `<h1>Sign in with ${provider}?</h1>\n<p>You are about to leave this site to sign in.</p>\n${action}`
  return renderPage({ title: 'Sign in', main, providerOrigin })
}

/** Puts the value into the query of a path, in the place of any other. */
export function withConfirmation(path: string, value: string): string {
  const [pathname = '', query = ''] = path.split(/\?(.*)/s)
  const others = query.split('&').filter((part) => part !== '' && !part.startsWith(`${CONFIRMED_PARAMETER}=`))
  return `${pathname}?${[...others, `${CONFIRMED_PARAMETER}=${value}`].join('&')}`
}

// The guard is inserted first, as part of the head, so that no markup can precede or swallow it.
function ownPage(html: unknown, providerOrigin: string): HTTPResponse {
  const refusal = 'confirmPage must return a string, not a promise'
  refusePromise(html, refusal)
  if (typeof html !== 'string') throw new TypeError(refusal)
  // The doctype must stay first, because without it browsers are in quirks mode.
  const [doctype = ''] = /^(?:\s|<!--(?:(?!-->).)*-->|<\?[^>]*>)*<!doctype[^>]*>/is.exec(html) ?? []
  const body = `${doctype}\n${WHOLE_PAGE_GUARD}\n${html.slice(doctype.length)}`
  return { status: 200, headers: pageHeaders(OWN_PAGE_POLICY, providerOrigin), body }
}
