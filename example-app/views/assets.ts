/** The stylesheet of all pages, for light and dark mode and for all widths from a phone upwards. */
export const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#f4f5f9, #14161c); --card: light-dark(#fff, #1f222b);
  --text: light-dark(#1b1e27, #eceef4); --faint: light-dark(#565c6e, #a6adbf); --line: light-dark(#d5d9e4, #3a3f4d);
  --accent: light-dark(#2a4fd0, #9db4ff); --on-accent: light-dark(#fff, #10142a); --danger: light-dark(#b3261e, #ffb4ab);
  --success: light-dark(#1c6b34, #8fdca6); --radius: .6rem;
  font: 1.0625rem/1.55 system-ui, sans-serif }
*, ::before { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--page); color: var(--text) }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; justify-content: space-between;
  padding: .75rem max(1rem, 50vw - 19rem); background: var(--card); border-bottom: 1px solid var(--line) }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center }
a { color: var(--accent) }
nav a, .brand { padding: .5rem 0; text-decoration: none }
nav a:hover { text-decoration: underline }
.brand { display: flex; gap: .6rem; align-items: center; color: inherit; font-weight: 650 }
main { flex: 1; width: 100%; max-width: 40rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
main:focus { outline: none }
footer { padding: 1rem; text-align: center; color: var(--faint); font-size: .875rem }
h1 { margin: 0 0 1rem; font-size: 1.75rem; line-height: 1.2 }
h2 { margin: 0 0 .5rem; font-size: 1.25rem; overflow-wrap: anywhere }
.card { margin: 0 0 1.25rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: var(--radius) }
.card > :first-child { margin-top: 0 }
.card > :last-child { margin-bottom: 0 }
button, .button { display: inline-block; padding: .65rem 1.1rem; border: 1px solid var(--line); border-radius: var(--radius);
  background: transparent; color: var(--text); font: inherit; text-decoration: none; text-align: center; cursor: pointer;
  overflow-wrap: anywhere }
button:hover, .button:hover { border-color: var(--accent) }
.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600 }
.wide { width: 100% }
.danger { color: var(--danger); border-color: var(--danger) }
.link { padding: .5rem 0; border: 0; color: var(--accent) }
.link:hover { text-decoration: underline }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.skip { position: absolute; left: -100vw; padding: .5rem 1rem; background: var(--card) }
.skip:focus { left: .5rem; top: .5rem; z-index: 1 }
.notice { padding: .75rem 1rem; border: 1px solid var(--kind, var(--accent)); border-left-width: .3rem;
  border-radius: var(--radius); background: light-dark(#e8edff, #2a3150) }
.success { --kind: var(--success); background: light-dark(#e4f4e8, #1d3526) }
.problem { --kind: var(--danger); background: light-dark(#fdeceb, #43241f) }
form + form { margin-top: .75rem }
.buttons { display: flex; flex-wrap: wrap; gap: .75rem; margin-bottom: 0 }
.faint { color: var(--faint); font-size: .9375rem }
.person { display: flex; gap: 1rem; align-items: center; min-width: 0 }
.person p { margin: 0; min-width: 0; overflow-wrap: anywhere }
.person p > * { display: block }
.portrait { flex: none; width: 4.5rem; height: 4.5rem; border-radius: 50%; object-fit: cover; background: var(--line) }
.letter { display: grid; place-items: center; font-size: 2rem; text-transform: uppercase }
.rows { list-style: none; margin: 0 0 1.25rem; padding: 0 }
.rows li { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; justify-content: space-between;
  padding: .75rem 0; border-bottom: 1px solid var(--line) }
.profile { overflow: hidden }
.profile .cover { display: block; width: calc(100% + 2.5rem); height: 9rem; margin: -1.25rem -1.25rem 0; object-fit: cover;
  background: linear-gradient(120deg, #6d8bff, #b78cff) }
.profile .portrait { position: relative; margin: -2.25rem 0 .75rem; border: 4px solid var(--card) }
.badge { display: inline-block; padding: .1rem .6rem; border: 1px solid; border-radius: 1rem; color: var(--accent);
  font-size: .8125rem; font-weight: 600; vertical-align: middle }
dl { display: grid; grid-template-columns: minmax(8rem, auto) 1fr; gap: .4rem 1rem; margin: 1rem 0 }
dt { color: var(--faint) }
dd { margin: 0; overflow-wrap: anywhere }
code, .address { overflow-wrap: anywhere }
.address { display: inline-block; max-width: 100% }
footer code { white-space: nowrap }
summary { list-style: none }
details[open] { flex-basis: 100% }
details p { margin: .75rem 0 }
/* Shown again when it is opened: only then do the first moments of its button start. */
details:not([open]) .action { display: none }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0 } dd { margin-bottom: .6rem } }
`

/**
 * Shows inert pictures instead of a page's buttons for their first moments, because clicks and keys that were meant for
 * another page must not press them. It is part of the page, because a sister subdomain can keep a file from loading.
 */
export const GUARD_STYLE = `
.guarded button { animation: guarded .8s step-end }
.guarding .guarded button { visibility: hidden }
@keyframes guarded { from { visibility: hidden } }
.action { display: inline-grid }
.action > * { grid-area: 1 / 1 }
.inert { visibility: hidden; color: var(--faint); border-style: dashed; cursor: progress; animation: inert .8s step-end }
.guarding .inert { visibility: visible }
@keyframes inert { from { visibility: visible } }
`

/**
 * Hides the buttons again for a moment whenever the page gets the focus or becomes visible. Then makes the
 * Tab key start at the beginning of the page: fragments (`#main`, `#:~:text=`) would make it start next to the buttons.
 */
export const GUARD = `
const { classList } = document.documentElement
let timer
function guard() {
  classList.add('guarding')
  clearTimeout(timer)
  timer = setTimeout(show, 800)
}
function show() {
  classList.remove('guarding')
  const { activeElement, body } = document
  if (activeElement?.tabIndex >= 0 || !document.querySelector('.guarded')) return
  body.tabIndex = -1
  body.focus({ preventScroll: true })
  body.removeAttribute('tabindex')
}
guard()
for (const event of ['focus', 'pageshow', 'visibilitychange']) addEventListener(event, guard)
const again = () => { if (classList.contains('guarding')) guard() }
for (const event of ['pointerdown', 'keydown']) addEventListener(event, again)
`

/**
 * For the pages of signed-in users. Chromium keeps them in its back/forward cache in spite of `no-store`, and would
 * show them there after a sign-out: they are asked for again instead, and hidden until then.
 */
export const BACK = `
addEventListener('pagehide', () => { document.documentElement.hidden = true })
addEventListener('pageshow', (event) => { if (event.persisted) location.reload() })
`

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2a4fd0"/>
<circle cx="16" cy="12" r="5" fill="#fff"/><path d="M6 27c1-6 5-9 10-9s9 3 10 9z" fill="#fff"/></svg>
`
