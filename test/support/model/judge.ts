import type { ProviderName } from './app'
import { demand } from './invariants'
import { type BrowserState, type Key, type Model, type Pending, type Place, takeFaults } from './state'
import type { Traffic, World } from './world'

const RECORD_COOKIE = '__Host-social-login'
const WITHOUT_RECORD = ['login_not_started', 'pass']
const FINAL = ['login_expired', 'user_changed']
const LIFETIME = 10 * 60 * 1000

/** The name under which a login's exchanges are counted: with the record in a cookie, per process. */
export function loginName(pending: Pending | undefined, { keep, process }: Place): string | undefined {
  if (!pending) return undefined
  return keep === 'session' ? pending.label : `${pending.label} in process ${process}`
}

interface Refusal {
  readonly state: BrowserState
  readonly refusal: string
  readonly names: readonly string[]
  readonly exchanges: number
  readonly now: number
  readonly untouched: () => void
}

/** I1: a refused callback does not finish a login, and a refusal that is not final keeps the pending login. */
export function judgeRefusal({ state, refusal, names, exchanges, now, untouched }: Refusal): void {
  const { pending } = state
  const isOld = pending !== undefined && now - pending.issuedAt > LIFETIME
  const mayBeForgotten = pending?.usedIn !== undefined && isOld ? ['login_expired'] : []
  const unclear = pending && (!pending.certain || FINAL.includes(refusal)) ? WITHOUT_RECORD : []
  const allowed = [refusal, ...unclear, ...mayBeForgotten]
  demand(names.length > 0 && names.every((name) => allowed.includes(name)), 'I1 refusal', { allowed, names, pending })
  demand(names[0] === refusal || pending?.certain === false || mayBeForgotten.length > 0, 'I1 first', {
    refusal,
    names,
  })
  demand(exchanges === 0, 'I1 exchange without a usable login', { refusal })
  untouched()
  if (FINAL.includes(names[0] ?? '') && pending?.certain) state.pending = undefined
}

interface Login {
  readonly model: Model
  readonly world: World
  readonly state: BrowserState
  readonly pending: Pending
  readonly strategy: ProviderName
  readonly key: Key
  readonly traffic: Traffic
  readonly exchanges: number
  readonly untouched: () => void
}

/** A callback that may finish the login: it does exactly if the provider responds correctly. */
export function judgeLogin(login: Login): void {
  const { model, world, state, pending, strategy, key, traffic, exchanges, untouched } = login
  const endpoints = traffic.requests.map(({ endpoint }) => endpoint)
  const faults = takeFaults(model, strategy, endpoints)
  const blocking = faults.filter(({ liesAbout }) => liesAbout === undefined)
  const isGood = key.provider === strategy && !key.spent
  const names = traffic.outcomes.map(({ name }) => name)
  const details = { names, key, pending, endpoints, faults }
  if (exchanges > 0) {
    pending.usedIn = model.process
    const disturbed = faults.find(({ endpoint }) => endpoint === 'authorize')
    if (isGood) key.spent = disturbed?.spends ?? true
  }
  if (!names.includes('success')) {
    demand(
      !pending.certain || (exchanges === 1 && !(isGood && blocking.length === 0)),
      'a genuine login failed',
      details,
    )
    const rejected = isGood || blocking.length > 0 || !pending.certain || names[0] === 'auth_key_rejected'
    demand(rejected, 'the wrong refusal of a key', details)
    untouched()
    const dropped = world.keep === 'session' || !state.browser.cookies.has(RECORD_COOKIE)
    if (exchanges > 0 && dropped) state.pending = undefined
    return
  }
  const others = names.filter((name) => name !== 'success' && !WITHOUT_RECORD.includes(name))
  demand(others.length === 0, 'I6 the double of a success', details)
  demand(isGood && blocking.length === 0 && exchanges === 1, 'I1 success without a key of this provider', details)
  const labels = traffic.outcomes.filter(({ name }) => name === 'success').map(({ label }) => label)
  demand(
    labels.every((label) => label === pending.label),
    'I1 success by another login',
    { labels, pending },
  )
  pending.successes += 1
  demand(pending.successes === 1, 'I2 second success', details)
  const [verified, ...more] = traffic.verified
  const id = faults.find(({ liesAbout }) => liesAbout !== undefined)?.liesAbout ?? key.userID
  const isTrue = more.length === 0 && verified?.strategy === strategy && verified.id === id
  demand(isTrue, 'I7 id', { verified: traffic.verified, id })
  demand(!state.browser.cookies.has(RECORD_COOKIE), 'I2 the record is still in the browser', details)
  state.user = `${strategy}:${id}`
  state.pending = undefined
}
