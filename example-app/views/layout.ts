import type { Page } from '../routes/answers'
import { html, type Markup } from './html'

/** A whole page. */
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
</head>
<body>
${!isQuestion && html`<a class="skip" href="#main">Skip to the content</a>`}
<header><a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Example</a>
<nav aria-label="Main">${links}</nav></header>
<main${!isQuestion && html` id="main" tabindex="-1"`}>
<h1>${title}</h1>
${main}
</main>
<footer>An example of <code>passport-social-login</code></footer>
</body>
</html>
`
}
