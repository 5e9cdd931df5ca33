import type { Answer } from '../http/request'

const css = `:root { color-scheme: light dark; accent-color: #5145cd; }
* { box-sizing: border-box; }
/* Clicks and keys that were meant for another page must not press what registers, changes or deletes. */
.action { display: inline-grid; }
.action > * { grid-area: 1 / 1; }
.action button { animation: guard .8s step-end; }
@keyframes guard { from { visibility: hidden; } }
.inert { visibility: hidden; padding: .6rem 1.1rem; border: 2px dashed; border-radius: .3rem; color: light-dark(#595f6b, #a6adbf); font-weight: 600; text-align: center; cursor: progress; animation: inert .8s step-end; }
@keyframes inert { from { visibility: visible; } }
html { background: Canvas; }
body { max-width: 46rem; margin: 0 auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, nav, .buttons { display: flex; flex-wrap: wrap; gap: .5rem 1.1rem; align-items: center; }
header { justify-content: space-between; padding: 1rem 0; }
footer { padding: 1rem 0 2rem; font-size: .875rem; }
h1 { font-size: 1.7rem; line-height: 1.2; }
h2 { font-size: 1.15rem; }
.card { padding: 1.25rem; margin-bottom: 1.25rem; border: 1px solid #8888; border-radius: .9rem; }
.card > :first-child { margin-top: 0; }
main:has(> .narrow) { max-width: 30rem; margin: 0 auto; }
label { font-weight: 600; }
input:not([type=checkbox]) { display: block; width: 100%; padding: .6rem; font: inherit; }
.columns { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); }
button { padding: .6rem 1.1rem; font: inherit; font-weight: 600; }
.primary { color: #fff; background: #5145cd; border: 2px solid #5145cd; border-radius: .3rem; }
ul { display: grid; gap: .75rem; margin: 0; padding: 0; list-style: none; }
.person { display: flex; gap: .9rem; align-items: center; width: 100%; text-align: left; }
.person form { margin-left: auto; }
img { flex: none; border-radius: 50%; }
small { display: block; font-size: .875rem; font-weight: 400; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .4rem 1rem; }
dd { margin: 0; }
`

/** `GET /style.css`. */
export function style(): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'text/css; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: css,
  }
}
