import type { Page } from '../routes/answers'
import type { Login } from '../storage/accounts'
import { html, type Markup } from './html'
import { isShown, nameOf, portrait } from './person'

export interface ProfilePage {
  readonly login: Login
  readonly providerOrigin: string
  readonly notice: string | undefined
}

export function profilePage({ login, providerOrigin, notice }: ProfilePage): Page {
  const { person, subject } = login
  const cover = isShown(person.cover, providerOrigin)
    ? html`<img class="cover" src="${person.cover}" alt="" referrerpolicy="no-referrer">`
    : html`<div class="cover"></div>`
  return {
    title: 'Your profile',
    main: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
<article class="card profile" aria-labelledby="name">${cover}${portrait(login, providerOrigin)}
<h2 id="name">${nameOf(login)} ${person.badge === true && html`<span class="badge">verified there</span>`}</h2>
<dl>${[
      entry('User name', person.username),
      entry('E-mail', person.email),
      entry('Gender', person.gender),
      entry('Born', person.birthday),
      entry('Number at the provider', subject),
    ]}</dl>
<form method="post" action="/profile/reload"><button>Reload from the provider</button></form></article>`,
  }
}

function entry(name: string, value: string | undefined): Markup {
  return html`<dt>${name}</dt><dd>${value ?? '—'}</dd>`
}
