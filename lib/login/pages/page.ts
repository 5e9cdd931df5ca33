import { createHash } from 'node:crypto'
import { escapeUTF8 } from 'entities/escape'
import { INERT_MS } from '../../limits'

export interface HTTPResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Page {
  readonly title: string
  /** HTML of the page's only landmark. */
  readonly main: string
  /** Runs on load. Default: no script may run. */
  readonly script?: string
  /** The provider's origin: forms of the page may be redirected there. Default: it has no form. */
  readonly providerOrigin?: string
}

// `!important` in the first cascade layer beats all other rules. Hidden elements take neither clicks nor keys.
const LINKS_AND_BUTTONS_STYLE = `
@layer social-login-guard {
  :is(a, button) { animation: social-login-guard ${INERT_MS}ms step-end !important }
  .social-login-guard :is(a, button) { visibility: hidden !important }
}
@keyframes social-login-guard { from { visibility: hidden } }
`
// An application's own page could make single elements visible again, so the whole page is not rendered. The animation
// is for browsers without script: with script, it would restart whenever the page is rendered again.
const WHOLE_PAGE_STYLE = `
@layer social-login-guard {
  html:not(.social-login-scripted) { animation: social-login-guard ${INERT_MS}ms step-end !important }
  .social-login-guard { display: none !important }
}
@keyframes social-login-guard { from { visibility: hidden; clip-path: inset(50%) } }
`

// A timer measures the time, because animations pause in a hidden tab and jump when the tab is shown.
const GUARD_SCRIPT = `
const { classList } = document.documentElement
classList.add('social-login-scripted')
let timer
const guard = () => {
  classList.add('social-login-guard')
  clearTimeout(timer)
  timer = setTimeout(() => classList.remove('social-login-guard'), ${INERT_MS})
}
guard()
for (const event of ['focus', 'pageshow', 'visibilitychange']) addEventListener(event, guard)
const again = () => classList.contains('social-login-guard') && guard()
for (const event of ['pointerdown', 'keydown']) addEventListener(event, again)
`

// Protects a page from input meant for another one, such as the second click of a double click on a hostile page that
// opened it. Links and buttons, or the whole page, appear after `INERT_MS` by CSS alone; with script, that long after
// the page was shown, got the focus, or was last pressed while hidden.
const guard = (style: string): string => `<style>${style}</style>\n<script>${GUARD_SCRIPT}</script>`

export const WHOLE_PAGE_GUARD: string = guard(WHOLE_PAGE_STYLE)

/** A link or button above an inert picture of itself, which immediately shows what will be there. Both are HTML. */
export function inertAtFirst(html: string, label: string): string {
  return `<span class="action"><span class="inert" aria-hidden="true" hidden>${label}</span>${html}</span>`
}

const STYLE = `
:root { color-scheme: light dark; font: 1.125rem/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { padding: 2rem; max-width: 26rem; text-align: center }
h1 { font-size: 1.375rem; overflow-wrap: anywhere }
a, button, .inert { display: inline-block; padding: .75rem 1.5rem; border: 0; border-radius: .5rem; font: inherit;
  color: #fff; background: #1a56db; text-decoration: none; cursor: pointer }
.action { display: inline-grid }
.action > * { grid-area: 1 / 1 }
.inert { background: #5b6472; cursor: progress }
section { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid; text-align: start; font-size: .875rem; overflow-wrap: anywhere }
h2 { font-size: 1rem }
a:focus-visible, button:focus-visible { outline: 3px solid; outline-offset: 3px }
`

/** A link between two paths of the application. It is relative, because a proxy may have taken a prefix off both. */
export function relativePath(from: string, to: string): string {
  const [base, goal] = [foldersOf(from), foldersOf(to)]
  const differing = base.findIndex((folder, index) => folder !== goal[index])
  const shared = differing === -1 ? base.length : differing
  const rest = to.slice(1 + goal.slice(0, shared).join('/').length + (shared > 0 ? 1 : 0))
  return ('../'.repeat(base.length - shared) || './') + rest
}

function foldersOf(path: string): string[] {
  const [pathname = ''] = path.split('?')
  return pathname.split('/').slice(1, -1)
}

/** Renders a page that cannot be framed, loads nothing, and runs at most its own script. */
export function renderPage({ title, main, script, providerOrigin }: Page): HTTPResponse {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${escapeUTF8(title)}</title>
<style>${STYLE}</style>
${guard(LINKS_AND_BUTTONS_STYLE)}
</head>
<body>
<main>
${main}
</main>${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`
  const scripts = [GUARD_SCRIPT, ...(script === undefined ? [] : [script])]
  const policy = [`style-src ${hashesOf([STYLE, LINKS_AND_BUTTONS_STYLE])}`, 'img-src data:']
  return { status: 200, headers: pageHeaders(policy, providerOrigin, scripts), body }
}

/**
 * `Referrer-Policy` is `same-origin`, because the Referer is the only proof from browsers without Fetch Metadata.
 * `form-action` names the provider, because it also applies to the redirect after a form.
 */
export function pageHeaders(
  policy: readonly string[],
  providerOrigin: string | undefined,
  scripts: readonly string[] = [GUARD_SCRIPT],
): Record<string, string> {
  const fixed = [
    `script-src ${hashesOf(scripts)}`,
    `form-action ${providerOrigin === undefined ? "'none'" : `'self' ${providerOrigin}`}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': ["default-src 'none'", ...policy, ...fixed].join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'same-origin',
  }
}

function hashesOf(sources: readonly string[]): string {
  return sources.map((source) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`).join(' ')
}
