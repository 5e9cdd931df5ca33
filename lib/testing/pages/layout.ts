import type { Answer } from '../http/answer'
import type { State } from '../state/state'
import { html, type Markup } from './html'

const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

const safety = {
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'strict-origin-when-cross-origin',
}

/** Options of a page. */
export interface PageOptions {
  status?: number
  headers?: Answer['headers']
  /** Forms of the page may redirect to other sites: Chromium applies `form-action` to the whole redirect chain. */
  leadsElsewhere?: boolean
}

const navigation = html`<nav aria-label="Provider">
<a href="/">Home</a> <a href="/developers">Developers</a> <a href="/users">People</a> <a href="/approvals">Approvals</a>
</nav>`

/** A whole page of the provider. */
export function page({ name }: State, title: string, main: Markup, options: PageOptions = {}): Answer {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${name}</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">${name}</a>${navigation}</header>
<main id="main" tabindex="-1">
<h1>${title}</h1>
${main}
</main>
<footer>A fake provider for tests and local development. All people are fictional.</footer>
</body>
</html>
`
  return {
    status: options.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': options.leadsElsewhere === true ? policy : `${policy}; form-action 'self'`,
      ...safety,
      ...options.headers,
    },
    body: document.text,
  }
}

/** A page with only a message. */
export function messagePage(
  state: State,
  status: number,
  title: string,
  message: string,
  headers: Answer['headers'] = {},
): Answer {
  return page(state, title, html`<p>${message}</p>\n<p><a href="/">Home</a></p>`, { status, headers })
}

/** A labelled text field. */
export function field(name: string, label: string, value: string, attributes: Markup = html``): Markup {
  return html`<p class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" value="${value}" ${attributes}></p>`
}

/** The error message of a form. */
export function problem(message: string | undefined): Markup {
  return message === undefined ? html`` : html`<p class="problem" role="alert">${message}</p>`
}
