import type { Page } from '../routes/answers'
import { html } from './html'

const TITLES: Readonly<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  429: 'Too many requests',
  503: 'In a moment',
}

/** A page that only says something. `retry` is where the same may be tried again; an empty text is the page's own address. */
export function messagePage(status: number, message: string, requestID: string, retry?: string): Page {
  return {
    title: TITLES[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong'),
    main: html`<div class="card"><p>${message}</p>
<p>${retry !== undefined ? html`<a class="button" href="${retry}">Try again</a>` : html`<a class="button" href="/">To the home page</a>`}</p>
<p class="faint">Number of the request: <code>${requestID}</code></p></div>`,
  }
}
