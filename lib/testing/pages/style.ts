import type { Answer } from '../http/request'

const css = `:root {
  color-scheme: light dark;
  --back: #f4f4f8; --card: #fff; --ink: #1d1b2e; --soft: #5c5970; --line: #d9d7e5;
  --mark: #5145cd; --on-mark: #fff; --danger: #b3261e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #14131c; --card: #1f1d2b; --ink: #efeef6; --soft: #b1aec4; --line: #3b384d;
    --mark: #a9a1ff; --on-mark: #14131c; --danger: #ff9d95;
  }
}
* { box-sizing: border-box; }
/* Clicks and keys that were meant for another page must not press what registers, changes or deletes. */
:is(form[action^="/developers"], form[action^="/users"], form[action="/approval/revoke"]) button { animation: guard .8s step-end; }
@keyframes guard { from { visibility: hidden; } }
body { margin: 0; background: var(--back); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding-block: 1rem; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; }
nav a { color: var(--soft); text-decoration: none; padding: .25rem 0; }
nav a:hover { color: var(--ink); text-decoration: underline; }
.brand { display: flex; gap: .6rem; align-items: center; margin-right: auto; color: inherit; font-weight: 700; text-decoration: none; }
main:focus { outline: none; }
footer { color: var(--soft); font-size: .875rem; padding-block: 2rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1rem 0 1.25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 .75rem; }
h3 { margin: 0 0 .75rem; overflow-wrap: anywhere; }
section > h2:not(.card > h2) { margin-top: 2rem; }
a { color: var(--mark); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; padding: 1.25rem; margin-bottom: 1.25rem; }
.card > :first-child { margin-top: 0; }
.card > :last-child, .card form:last-child > :last-child { margin-bottom: 0; }
main:has(> .narrow) { max-width: 30rem; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem .75rem; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; }
.field { margin: 0 0 .9rem; }
label { font-weight: 600; }
.field label { display: block; margin-bottom: .25rem; }
input:not([type=checkbox]) { width: 100%; min-height: 2.75rem; padding: .5rem .7rem; font: inherit; color: inherit; background: var(--back);
  border: 1px solid var(--soft); border-radius: .5rem; }
.check { display: flex; gap: .6rem; align-items: center; }
.check input { margin: 0; width: 1.2rem; height: 1.2rem; accent-color: var(--mark); flex: none; }
.columns { display: grid; gap: 0 1rem; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); }
button, .button { display: inline-block; min-height: 2.75rem; padding: .5rem 1.1rem; font: inherit; font-weight: 600; cursor: pointer;
  color: var(--ink); background: transparent; border: 1px solid var(--soft); border-radius: .6rem; text-decoration: none; }
button:hover, .button:hover { background: var(--back); }
.primary, .primary:hover { background: var(--mark); border-color: var(--mark); color: var(--on-mark); }
.danger { color: var(--danger); border-color: var(--danger); }
.link { border: 0; padding: 0; color: var(--mark); text-decoration: underline; font-weight: 400; }
.buttons { display: flex; flex-wrap: wrap; gap: .6rem; }
.people, .rows { list-style: none; margin: 0; padding: 0; }
.people { display: grid; gap: .6rem; }
.rows li { display: flex; gap: .9rem; align-items: center; padding: .6rem 0; border-top: 1px solid var(--line); }
.rows li:first-child { border-top: 0; }
.rows form { margin-left: auto; }
.person { display: flex; gap: .9rem; align-items: center; width: 100%; text-align: left; padding: .6rem .8rem; }
.person.still { padding: .3rem 0; margin: .75rem 0; font-weight: 600; }
.person span, .rows span { min-width: 0; overflow-wrap: anywhere; }
small { display: block; color: var(--soft); font-size: .875rem; font-weight: 400; }
.person img, .rows img { border-radius: 50%; flex: none; }
.asking { font-size: 1.1rem; }
dl { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .4rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; }
code { overflow-wrap: anywhere; font-size: .9em; }
`

/** `GET /style.css`. */
export function style(): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'text/css; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: css,
  }
}
