import type { Answer } from '../http/request'

const css = `:root { color-scheme: light dark; accent-color: #5145cd; --radius: .6rem;
  --page: light-dark(#f5f5fa, #14141b); --card: light-dark(#fff, #1e1e28); --raised: light-dark(#fff, #2c2c3a);
  --text: light-dark(#1b1b26, #ededf5); --faint: light-dark(#595f6b, #a6adbf); --line: light-dark(#d4d5e0, #3c3d4d);
  --edge: light-dark(#85879a, #7d7f95); --link: light-dark(#4338ca, #b9b2ff); }
* { box-sizing: border-box; }
/* Clicks and keys that were meant for another page must not press what registers, changes or deletes. */
.action { display: inline-grid; }
.action > * { grid-area: 1 / 1; }
.action button { animation: guard .8s step-end; }
@keyframes guard { from { visibility: hidden; } }
.inert { visibility: hidden; border-style: dashed; color: var(--faint); text-align: center; cursor: progress; animation: inert .8s step-end; }
@keyframes inert { from { visibility: visible; } }
html { background: var(--page); color: var(--text); }
body { max-width: 46rem; margin: 0 auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, nav, .buttons { display: flex; flex-wrap: wrap; gap: .5rem 1.1rem; align-items: center; }
header { justify-content: space-between; padding: 1rem 0; }
footer { padding: 1rem 0 2rem; color: var(--faint); font-size: .875rem; }
h1 { font-size: 1.7rem; line-height: 1.2; }
h2 { font-size: 1.15rem; }
a { color: var(--link); }
.card { padding: 1.25rem; margin-bottom: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: var(--radius); }
.card > :first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
main:has(> .narrow) { max-width: 30rem; margin: 0 auto; }
label { font-weight: 600; }
input:not([type=checkbox]) { display: block; width: 100%; padding: .6rem; background: var(--raised); color: inherit; border: 1px solid var(--edge); border-radius: var(--radius); font: inherit; }
.columns { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); }
button, .inert, summary { padding: .6rem 1.1rem; background: var(--raised); color: inherit; border: 1px solid var(--edge); border-radius: var(--radius); font: inherit; font-weight: 600; cursor: pointer; }
button:hover, summary:hover { border-color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.inert { background: none; }
.primary { color: #fff; background: #5145cd; border-color: #5145cd; }
summary { display: inline-block; }
/* Shown again when it is opened: only then do the first moments of its button start. */
details:not([open]) .action { display: none; }
.copy { padding: .1rem .6rem; margin-left: .5rem; font-size: .875rem; }
ul { display: grid; gap: .75rem; margin: 0; padding: 0; list-style: none; }
.person { display: flex; gap: .9rem; align-items: center; width: 100%; text-align: left; }
.person form { margin-left: auto; }
img { flex: none; border-radius: 50%; }
/* A separate block, so that it wraps to the next line as a whole. */
.address { display: inline-block; max-width: 100%; }
small { display: block; color: var(--faint); font-size: .875rem; font-weight: 400; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .6rem 1rem; align-items: baseline; }
dd { margin: 0; }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .6rem; } }
`

// A button copies the text before it. Where a page may not write to the clipboard, the text is selected instead.
const script = `for (const button of document.querySelectorAll('.copy')) {
  const source = button.previousElementSibling
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      button.textContent = 'Copied'
      setTimeout(() => { button.textContent = label }, 2000)
    } catch {
      getSelection().selectAllChildren(source)
    }
  })
}
`

function asset(type: string, body: string): Answer {
  return {
    status: 200,
    headers: { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' },
    body,
  }
}

/** `GET /style.css`. */
export function style(): Answer {
  return asset('text/css', css)
}

/** `GET /copy.js`. */
export function copyScript(): Answer {
  return asset('text/javascript', script)
}
