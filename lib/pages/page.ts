import { createHash } from 'node:crypto'
import { escapeUTF8 } from 'entities'
import type { Answer } from '../actions'

/** A page that the strategy writes itself. */
export interface Page {
  readonly title: string
  /** HTML of the page's only landmark. */
  readonly main: string
  /** Runs as the page loads. Default: the page may run nothing. */
  readonly script?: string
  /** The provider's origin: where the redirect behind a form of the page may lead. */
  readonly providerOrigin: string
  readonly headers?: Readonly<Record<string, string>>
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

/** Renders a page that nobody can frame, that loads nothing, and that runs its own script at most. */
export function renderPage({ title, main, script, providerOrigin, headers = {} }: Page): Answer {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${escapeUTF8(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${main}
</main>${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`
  const scripts = script === undefined ? [] : [`script-src ${hashOf(script)}`]
  const policy = [...scripts, `style-src ${hashOf(STYLE)}`, 'img-src data:']
  return { status: 200, headers: { ...pageHeaders(policy, providerOrigin), ...headers }, body }
}

/**
 * Headers of every page of ours. `Referrer-Policy: same-origin` (not `no-referrer`) because the Referer is the proof
 * that browsers without Fetch Metadata give; `form-action` names the provider because it covers the redirect behind a
 * form.
 */
export function pageHeaders(policy: readonly string[], providerOrigin: string): Record<string, string> {
  const fixed = [`form-action 'self' ${providerOrigin}`, "base-uri 'none'", "frame-ancestors 'none'"]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': ["default-src 'none'", ...policy, ...fixed].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'same-origin',
  }
}

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`
}
