import type { Login } from '../storage/accounts'
import type { UnconfirmedLogin } from '../storage/sessions'
import { guardedButton, html, type Markup, type Page, unbroken } from './layout'
import { type Notice, noticeFor } from './messages'

const TITLES: Readonly<Record<number, string>> = {
  403: 'Not allowed',
  404: 'Not found',
  429: 'Too many requests',
  503: 'Temporarily unavailable',
}
const MAX_NAME_LENGTH = 32
// No script needs more combining marks than this; more of them would cover the lines above and below.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu

/** What pages need to know of a community. */
export interface ShownCommunity {
  /** Stored with each login, because the same id belongs to different users at different communities. */
  readonly name: string
  readonly displayName: string
  readonly host: string
  readonly origin: string
  readonly startPath: string
  readonly linkPath: string
}

function noticeBox(notice: Notice | undefined): Markup {
  return html`${notice && html`<p class="notice ${notice.kind}" role="status">${notice.text}</p>`}`
}

export function homePage(login: Login | undefined, communities: readonly ShownCommunity[]): Page {
  const about = html`<p>This example shows what <code>passport-social-login</code> does: users sign in at
${communities.map(nameAndHost)}, see their profile here, and can add a second login to their account.</p>`
  const state = login
    ? html`<p>You are signed in as <strong>${nameOf(login)}</strong>.</p>
<p><a class="button primary" href="/profile">Your profile</a></p>`
    : html`<p>You are not signed in.</p>
<p><a class="button primary" href="/login">Sign in</a></p>`
  return { title: login ? 'Welcome back' : 'Welcome', main: html`<div class="card">${about}${state}</div>` }
}

interface LoginPage {
  readonly communities: readonly ShownCommunity[]
  /** A code of `messages.ts`. */
  readonly reason: string | undefined
  readonly returnTo: string | undefined
}

export function loginPage({ communities, reason, returnTo }: LoginPage): Page {
  return {
    title: 'Sign in',
    main: html`<div class="card">
${noticeBox(noticeFor(reason))}
<p>You sign in at ${communities.map(nameAndHost)} and return here. We never see your password.</p>
${communities.map(
  ({ startPath, displayName }) => html`<form method="post" action="${startPath}">
${returnTo !== undefined && html`<input type="hidden" name="returnTo" value="${returnTo}">`}
<button class="primary wide">Continue with ${displayName}</button></form>`,
)}</div>`,
  }
}

function nameAndHost({ displayName, host }: ShownCommunity, index: number): Markup {
  return html`${index > 0 && ' or at '}<strong>${displayName}</strong>${displayName !== host && html` ${unbroken(`(${host})`)}`}`
}

interface ConfirmPage {
  readonly login: Login
  readonly unconfirmed: Pick<UnconfirmedLogin, 'id' | 'purpose'>
  /** The login by which the account was opened in this browser. */
  readonly openedBy: Login | undefined
  readonly communities: readonly ShownCommunity[]
  readonly notice: Notice | undefined
}

/**
 * Asks whether a login that is new to this browser is the user's own. Before a login is added to an account, the page
 * names the account, too: someone else may have signed in to this browser in another tab.
 */
export function confirmPage({ login, unconfirmed, openedBy = login, communities, notice }: ConfirmPage): Page {
  const { id, purpose } = unconfirmed
  const at = communityName(login, communities)
  const question =
    purpose === 'link'
      ? html`<p>You are signed in as <strong>${nameOf(openedBy)}</strong> (ID <code>${openedBy.subject}</code> at
${communityName(openedBy, communities)}). With the following login at ${at}, you will be able to sign in to this account,
too:</p>`
      : html`<p>This login at ${at} has not been used in this browser before:</p>`
  const consent = purpose === 'link' ? 'Add this login' : `Continue as ${nameOf(login)}`
  return {
    title: purpose === 'link' ? 'Add this login?' : 'Is this you?',
    // The URL of this page can contain a fragment chosen by an attacker, inherited by redirect from the callback's URL.
    isQuestion: true,
    main: html`<div class="card">${noticeBox(notice)}
${question}
${personCard(login, communities)}
<form class="guarded" method="post" action="/login/confirm">
<input type="hidden" name="confirmation" value="${id}"><p class="buttons">
${guardedButton(consent, html`class="primary" name="decision" value="continue"`)}
${guardedButton('Not me', html`name="decision" value="not-me"`)}</p></form></div>`,
  }
}

interface AccountPage {
  readonly account: { readonly id: string; readonly logins: readonly Login[] }
  readonly communities: readonly ShownCommunity[]
  readonly notice: Notice | undefined
}

export function accountPage({ account: { id, logins }, communities, notice }: AccountPage): Page {
  const usable = logins.filter((login) => communityOf(login, communities))
  const isRemovable = (login: Login): boolean => usable.some((other) => other !== login)
  return {
    title: 'Your account',
    main: html`${noticeBox(notice)}
<section class="card" aria-labelledby="logins"><h2 id="logins">Logins</h2>
<p>You can sign in to this account with any of these${usable.length < logins.length && ', except those at a provider that is not offered at present'}.</p>
<ul class="rows">${logins.map((login) => row(login, communities, isRemovable(login)))}</ul>
${communities.map(
  ({ linkPath, displayName }) =>
    html`<form method="post" action="${linkPath}"><button>Add another login at ${displayName}</button></form>`,
)}</section>
<section class="card" aria-labelledby="sessions"><h2 id="sessions">Devices</h2>
<p>Lost a phone, or signed in on a computer that is not yours?</p>
<form class="guarded" method="post" action="/account/sign-out-everywhere">
<input type="hidden" name="account" value="${id}">${guardedButton('Sign out everywhere', html`class="danger"`)}</form></section>`,
  }
}

function row(login: Login, communities: readonly ShownCommunity[], isRemovable: boolean): Markup {
  const what = `${nameOf(login)} at ${communityName(login, communities)}`
  const remove = html`<details><summary class="button" aria-label="Remove ${what}?">Remove</summary>
<form class="guarded" method="post" action="/account/unlink"><p>Remove this login? You could not sign in to this account with it any more.</p>
${guardedButton('Remove', html`class="danger" name="login" value="${login.id}" aria-label="Remove ${what}"`)}</form></details>`
  return html`<li>${personCard(login, communities)}${isRemovable && remove}</li>`
}

interface ProfilePage {
  readonly login: Login
  readonly communities: readonly ShownCommunity[]
  readonly notice: Notice | undefined
}

export function profilePage({ login, communities, notice }: ProfilePage): Page {
  const { person, subject } = login
  const community = communityOf(login, communities)
  const at = communityName(login, communities)
  const cover = isShown(person.cover, community)
    ? html`<img class="cover" src="${person.cover}" alt="" referrerpolicy="no-referrer">`
    : html`<div class="cover"></div>`
  return {
    title: 'Your profile',
    main: html`${noticeBox(notice)}
<article class="card profile" aria-labelledby="name">${cover}${portrait(login, community)}
<h2 id="name">${nameOf(login)} ${person.badge === true && html`<span class="badge">verified at ${at}</span>`}</h2>
<dl>${[
      entry('Username', person.username),
      entry('E-mail', person.email === undefined ? undefined : unbroken(person.email)),
      entry('Gender', person.gender),
      entry('Birthday', person.birthday),
      entry(`ID at ${at}`, subject),
    ]}</dl>
${community && html`<form method="post" action="/profile/reload"><button>Reload from ${at}</button></form>`}</article>`,
  }
}

function entry(name: string, value: string | Markup | undefined): Markup {
  return html`<dt>${name}</dt><dd>${value ?? '—'}</dd>`
}

/** A page with only a message. `retry` is the URL for trying again; empty means the URL of this page. */
export function messagePage(status: number, message: string, requestID: string, retry?: string): Page {
  return {
    title: TITLES[status] ?? (status < 500 ? 'That did not work' : 'Something went wrong'),
    main: html`<div class="card"><p>${message}</p>
<p>${retry !== undefined ? html`<a class="button" href="${retry}">Try again</a>` : html`<a class="button" href="/">Back to the home page</a>`}</p>
<p class="faint">Request ID: <code>${requestID}</code></p></div>`,
  }
}

/** Shows a picture of the login's community, because our Content-Security-Policy blocks others; else a letter. */
function portrait({ person, subject }: Login, community: ShownCommunity | undefined): Markup {
  if (isShown(person.picture, community)) {
    return html`<img class="portrait" src="${person.picture}" alt="" width="72" height="72" referrerpolicy="no-referrer">`
  }
  return html`<span class="portrait letter" aria-hidden="true">${nameOf({ person, subject }).slice(0, 1)}</span>`
}

function isShown(picture: string | undefined, community: ShownCommunity | undefined): picture is string {
  return community !== undefined && picture?.startsWith(`${community.origin}/`) === true
}

/**
 * The name is shortened, because a long one could imitate the e-mail address and ID of someone else shown after it.
 */
function nameOf({ person, subject }: Pick<Login, 'person' | 'subject'>): string {
  const name = person.displayName.replace(STACKED_MARKS, '$1')
  const letters = Array.from(name)
  const short = letters.length > MAX_NAME_LENGTH ? `${letters.slice(0, MAX_NAME_LENGTH).join('').trim()}…` : name
  return short || `User ${subject}`
}

/** The community of a login. Undefined if it is not configured any more: its logins stay. */
function communityOf({ provider }: Login, communities: readonly ShownCommunity[]): ShownCommunity | undefined {
  return communities.find(({ name }) => name === provider)
}

function communityName(login: Login, communities: readonly ShownCommunity[]): string {
  return communityOf(login, communities)?.displayName ?? 'another provider'
}

/** Identifies a user. Includes the ID and its community, because names and pictures can be copied. */
function personCard(login: Login, communities: readonly ShownCommunity[]): Markup {
  const { person, subject } = login
  return html`<div class="person">${portrait(login, communityOf(login, communities))}<p><strong>${nameOf(login)}</strong>
<span class="faint">${person.email === undefined ? 'no e-mail address' : unbroken(person.email)}</span>
<span>ID <code>${subject}</code> at ${communityName(login, communities)}</span></p></div>`
}
