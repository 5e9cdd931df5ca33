import { inspect } from 'node:util'
import { encodings } from '../canaries'
import { COOKIE_KEY, type ProviderName, providerNames } from './app'
import { type Cookies, type Seen, sessionIDIn } from './browser'
import { type Model, type SessionFacts, sessionFacts } from './state'
import type { Traffic, World } from './world'

const formsOf = new Map<string, readonly string[]>()

function forms(secret: string): readonly string[] {
  const known = formsOf.get(secret) ?? Object.values(encodings(secret))
  formsOf.set(secret, known)
  return known
}

/** Clears the secrets of earlier runs. */
export function forgetSecrets(): void {
  formsOf.clear()
}

/** A violated invariant ends the run. */
export function demand(holds: boolean, invariant: string, details: unknown): asserts holds {
  if (!holds) throw new Error(`${invariant}: ${inspect(details, { depth: 6, maxStringLength: 300 })}`)
}

/**
 * I4: a secret is sent only to its own authorize endpoint, a token only to the profile endpoint of its own provider.
 */
export function checkProviders(world: World, model: Model, { requests, verified }: Traffic): void {
  for (const { provider, endpoint, method, path, headers, body } of requests) {
    const everything = [method, path, JSON.stringify(headers), body]
    for (const owner of providerNames) {
      const { appSecret } = world.providers[owner].application
      const mayHave = owner === provider && endpoint === 'authorize' && method === 'POST'
      const elsewhere = mayHave ? everything.slice(0, 3) : everything
      demand(!elsewhere.join('\n').includes(appSecret), 'I4 secret', { owner, provider, endpoint, elsewhere })
    }
    const token = headers.authorization?.replace(/^Bearer /, '')
    demand(token === undefined || endpoint === 'user/me', 'I4 token', { provider, endpoint })
    if (token === undefined) continue
    const owner = model.tokens.get(token) ?? provider
    demand(owner === provider, 'I4 token of another provider', { owner, provider })
    model.tokens.set(token, provider)
    demand(![path, body].join('\n').includes(token), 'I4 token in a URL', { path })
  }
  for (const { accessToken, strategy } of verified) {
    demand(model.tokens.get(accessToken) === strategy, 'I4 token given to verify', { strategy })
  }
}

/** I3: a login posts one key, once. */
export function checkExchanges(
  model: Model,
  strategy: ProviderName,
  login: string | undefined,
  { requests }: Traffic,
): number {
  const strangers = requests.filter(({ provider }) => provider !== strategy)
  demand(strangers.length === 0, 'I4 request to another provider', strangers)
  const exchanges = requests.filter(({ endpoint }) => endpoint === 'authorize').length
  if (exchanges === 0) return 0
  demand(login !== undefined, 'I3 exchange without a login in progress', requests)
  const total = (model.exchanges.get(login) ?? 0) + exchanges
  model.exchanges.set(login, total)
  demand(total === 1, 'I3 more than one exchange for one login', { login, total })
  return exchanges
}

/** I8: no secret appears in answers, errors or the session store. */
export function checkSinks(world: World, model: Model, { errors }: Traffic, answers: readonly Seen[]): void {
  const sinks = [
    ...answers.map(({ status, headers, body }) => `${status} ${JSON.stringify(headers)} ${body}`),
    ...errors.map((error) => inspect(error, { depth: Infinity, showHidden: true }) + JSON.stringify(error)),
    world.sessions.contents(),
  ].join('\n')
  const secrets = [
    COOKIE_KEY,
    ...providerNames.map((name: ProviderName) => world.providers[name].application.appSecret),
    ...model.keys.map(({ value }) => value),
    ...model.tokens.keys(),
  ]
  for (const secret of secrets) {
    const shown = forms(secret).find((form) => sinks.includes(form))
    demand(shown === undefined, 'I8 canary', { secret, sinks: sinks.slice(0, 2000) })
  }
}

/** I5: the signed-in user, the session and its other content are unchanged. */
export function checkUntouched(before: SessionFacts, world: World, cookies: Cookies): void {
  const after = sessionFacts(world, cookies)
  if (before.sid === undefined) {
    // A session with only a pending login may be new.
    demand(after.user === undefined && !after.others.includes('cart'), 'I5 session', { before, after })
    return
  }
  demand(
    sessionIDIn(cookies) === before.sid && after.user === before.user && after.others === before.others,
    'I5 session changed',
    { before, after },
  )
}

/** The model and the store agree on the signed-in users. */
export function checkUsers(world: World, model: Model): void {
  for (const { browser, user } of model.browsers) {
    const facts = sessionFacts(world, browser.cookies)
    demand(facts.user === user, 'I1 signed-in user', { model: user, session: facts.user })
  }
}

/** I6: each request took one action, or was answered by a page of ours or by the application. */
export function checkActions(model: Model, { outcomes }: Traffic, answers: readonly Seen[]): void {
  for (const { name } of outcomes) model.seen.set(name, (model.seen.get(name) ?? 0) + 1)
  demand(outcomes.length <= answers.length, 'I6 several actions for one request', { outcomes, answers })
  for (const { status } of answers) demand(status >= 200 && status < 600, 'I6 status', { status })
}
