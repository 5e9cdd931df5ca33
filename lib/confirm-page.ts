import { createHash } from 'node:crypto'
import { escapeUTF8 } from 'entities'

/** What the page between an unproven start and the login shows. */
export interface ConfirmPage {
  /** Path and query that starts the login, on this origin. */
  readonly target: string
  /** The method by which the start arrived, and so the one that the application serves. */
  readonly method: 'GET' | 'POST'
  /** Host of the provider, for people. */
  readonly provider: string
}

const STYLE = `
:root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { padding: 2rem; max-width: 26rem; text-align: center }
h1 { font-size: 1.375rem; overflow-wrap: anywhere }
a, button { display: inline-block; padding: .75rem 1.5rem; border: 0; border-radius: .5rem; font: inherit;
  color: #fff; background: #1a56db; text-decoration: none; cursor: pointer }
a:focus-visible, button:focus-visible { outline: 3px solid; outline-offset: 3px }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

/**
 * A start without proof (typed, mailed, or redirected by a login wall) gets this page. Its link or button leads to the
 * same URL: that click, made on the application's own origin, is the proof. No script; no other site can frame it.
 */
export function renderConfirmPage({ target, method, provider }: ConfirmPage): string {
  const label = `Continue to ${escapeUTF8(provider)}`
  const action =
    method === 'GET'
      ? `<a href="${escapeUTF8(target)}" rel="nofollow">${label}</a>`
      : `<form method="post" action="${escapeUTF8(target)}"><button>${label}</button></form>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sign in</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Sign in with ${escapeUTF8(provider)}?</h1>
<p>You are about to leave this site to sign in.</p>
${action}
</main>
</body>
</html>
`
}

/**
 * Headers of the page. `Referrer-Policy: same-origin` (not `no-referrer`) because the Referer is the proof that
 * browsers without Fetch Metadata give; `form-action` names the provider because it covers the redirect behind a form.
 */
export function confirmPageHeaders(providerOrigin: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self' ${providerOrigin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'same-origin',
  }
}
