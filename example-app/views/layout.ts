import { escapeUTF8 } from 'entities'
import { GUARD, GUARD_STYLE } from './assets'

/** Text that is HTML and must not be escaped again. */
export class Markup {
  constructor(readonly text: string) {}
}

/** A value in a template: text is escaped, markup is not, and undefined and false are left out. */
type Fragment = string | number | Markup | readonly Markup[] | undefined | false

/** Template tag for HTML. It escapes all text, because names and addresses come from another site. */
export function html(strings: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  return new Markup(strings.map((string, at) => string + rendered(values[at])).join(''))
}

function rendered(fragment: Fragment): string {
  if (fragment === undefined || fragment === false) return ''
  if (fragment instanceof Markup) return fragment.text
  if (typeof fragment === 'object') return fragment.map((part) => part.text).join('')
  return escapeUTF8(String(fragment))
}

/** An address stays on one line. One that is longer than a line is broken between its parts. */
export function unbroken(address: string): Markup {
  const parts = address.split(/(?=[.@])/).map(escapeUTF8)
  return new Markup(`<span class="address">${parts.join('<wbr>')}</span>`)
}

/** A button of a form of the class `guarded`, above the picture that shows until it may be pressed. */
export function guardedButton(label: string, attributes: Markup): Markup {
  return html`<span class="action"><span class="button inert" aria-hidden="true">${label}</span><button ${attributes}>${label}</button></span>`
}

/** The parts of a page that differ from page to page. */
export interface Page {
  readonly title: string
  readonly main: Markup
  /** The page asks a question, so no fragment in its URL may move the focus closer to the answering buttons. */
  readonly isQuestion?: boolean
}

const SIGNED_IN = html`<style>${new Markup(GUARD_STYLE)}</style>
<script>${new Markup(GUARD)}</script>
<script src="/back.js"></script>`

export function layout({ title, main, isQuestion = false }: Page, isSignedIn: boolean): Markup {
  const links = isSignedIn
    ? html`<a href="/profile">Profile</a> <a href="/account">Account</a>
<form method="post" action="/logout"><button class="link">Sign out</button></form>`
    : html`<a href="/login">Sign in</a>`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Example</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
${isSignedIn && SIGNED_IN}
</head>
<body>
${!isQuestion && html`<a class="skip" href="#main">Skip to content</a>`}
<header><a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Example</a>
<nav aria-label="Main">${links}</nav></header>
<main${!isQuestion && html` id="main" tabindex="-1"`}>
<h1>${title}</h1>
${main}
</main>
<footer>Example application for <code>passport-social-login</code></footer>
</body>
</html>
`
}
