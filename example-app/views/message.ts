import type { Page } from '../routes/answers'
import { html } from './html'

const TITLES: Readonly<Record<number, string>> = { 403: 'Not allowed', 404: 'Not found', 429: 'Too many requests' }

/** A page that only says something. */
export function messagePage(status: number, message: string, requestID: string): Page {
  return {
    title: TITLES[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong'),
    main: html`<div class="card"><p>${message}</p>
<p><a class="button" href="/">To the home page</a></p>
<p class="faint">Number of the request: <code>${requestID}</code></p></div>`,
  }
}
