import { escapeUTF8 } from 'entities'
import { type Answer, type ProviderRequest, redirectTo } from '../http/request'
import type { State } from '../state/state'
import type { FakeUser } from '../types'

/** Text that is already HTML. */
export class Markup {
  constructor(readonly text: string) {}
}

/** Template values: text is escaped, markup is not, undefined and false are omitted. */
type Fragment = string | number | Markup | readonly Markup[] | undefined | false

function rendered(fragment: Fragment): string {
  if (fragment === undefined || fragment === false) return ''
  if (fragment instanceof Markup) return fragment.text
  if (typeof fragment === 'object') return fragment.map((part) => part.text).join('\n')
  return escapeUTF8(String(fragment))
}

/** Template tag for HTML: every value is escaped unless it is markup. */
export function html(strings: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  const parts = strings.map((string, at) => string + rendered(values[at]))
  return new Markup(parts.join(''))
}

/** The look of a page's first button. */
export const PRIMARY: Markup = new Markup('class="primary"')

/** A button that appears after a moment, above an inert picture of itself that is there from the first moment. */
export function guardedButton(label: string, attributes: Markup = new Markup('')): Markup {
  return html`<span class="action"><span class="inert" aria-hidden="true">${label}</span><button ${attributes}>${label}</button></span>`
}

const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

export interface PageOptions {
  status?: number
  headers?: Answer['headers']
  /** Whether the page has buttons that copy: the only pages with a script. */
  copies?: boolean
  /** Whether forms may redirect to other sites: Chromium and WebKit apply `form-action` to the whole redirect chain. */
  leadsElsewhere?: boolean
}

/** A whole page of the provider. */
export function page({ name }: State, title: string, main: Markup, options: PageOptions = {}): Answer {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${name}</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.svg" type="image/svg+xml">${
    options.copies === true &&
    html`
<script src="/copy.js" defer></script>`
  }
</head>
<body>
<header><strong>${name}</strong>
<nav><a href="/">Home</a> <a href="/developers">Developers</a> <a href="/users">Users</a></nav></header>
<main>
<h1>${title}</h1>
${main}
</main>
<footer>A fake provider for tests and local development. All users are fictional.</footer>
</body>
</html>
`
  return {
    status: options.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': [
        policy,
        ...(options.leadsElsewhere === true ? [] : ["form-action 'self'"]),
        ...(options.copies === true ? ["script-src 'self'"] : []),
      ].join('; '),
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      ...options.headers,
    },
    body: document.text,
  }
}

export function messagePage(
  state: State,
  status: number,
  title: string,
  message: string,
  headers: Answer['headers'] = {},
): Answer {
  return page(state, title, html`<p>${message}</p>\n<p><a href="/">Home</a></p>`, { status, headers })
}

export function field(name: string, label: string, value: string, attributes: Markup, id = name): Markup {
  return html`<p><label for="${id}">${label}</label>
<input id="${id}" name="${name}" value="${value}" ${attributes}></p>`
}

/** The answer of an endpoint or a page. The parameter is the part of the path that names an application or a user. */
export type Handler = (request: ProviderRequest, state: State, parameter: string) => Answer

/** Makes the change that a form asks for, and redirects to a page; shows why its values are refused. */
export function change(path: string, make: (state: State, form: URLSearchParams, id: string) => unknown): Handler {
  return ({ form }, state, id) => {
    try {
      make(state, form, id)
      return redirectTo(path, 303)
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof RangeError)) throw error
      return messagePage(state, 422, 'Not saved', error.message)
    }
  }
}

export function displayNameOf(user: FakeUser): string {
  const whole = [user.user_firstname, user.user_lastname].filter(Boolean).join(' ')
  return whole || user.user_name || user.user_id
}

export function emailOf(user: FakeUser): Markup {
  return user.user_email ? unbroken(user.user_email) : html`no e-mail address`
}

/** An address stays on one line. One that is longer than a line is broken between its parts. */
export function unbroken(address: string): Markup {
  const parts = address.split(/(?=[.@])/).map(escapeUTF8)
  return new Markup(`<span class="address">${parts.join('<wbr>')}</span>`)
}

/** A user's picture, drawn here even if the record has an external URL: pages load nothing from other sites. */
export function portrait(user: FakeUser): Markup {
  return html`<img src="/pictures/${encodeURIComponent(user.user_id)}.svg" alt="" width="44" height="44">`
}

/** A user with picture, name and another line. */
export function nameplate(user: FakeUser, line: string | Markup): Markup {
  return html`<p class="person">${portrait(user)}<span>${displayNameOf(user)}<small>${line}</small></span></p>`
}
