import { FakeProvider } from '../../lib/testing'
import { SECRET_CANARY } from '../support/app'
import { ours as fixed, type Kind } from '../support/attacks/target-app'
import { Browser, closeBrowsers } from '../support/browser'
import { findSecrets } from '../support/canaries'
import { type HTTPTarget, startTarget } from './http-target'

afterAll(closeBrowsers)

const names = ['one', 'two', 'three']
/** One strategy for each provider, and one for all of them. */
const ours = [...fixed, 'many providers'] as const

let providers: Map<string, FakeProvider>
let target: HTTPTarget

/** The application of each kind: its providers stay the same. */
const targets = new Map<Kind, HTTPTarget>()

beforeAll(async () => {
  providers = new Map()
  for (const name of names) providers.set(name, await FakeProvider.start())
})
afterEach(() => {
  for (const provider of providers.values()) provider.clearRequests()
})
afterAll(async () => {
  for (const each of targets.values()) await each.stop()
  for (const provider of providers.values()) await provider.stop()
})

async function run(kind: Kind): Promise<void> {
  const logins = Array.from(providers, ([name, provider]) => ({ name, provider }))
  target = targets.get(kind) ?? (await startTarget({ kind, logins }))
  targets.set(kind, target)
  target.visits.length = 0
}

function secretOf(name: string): string {
  return `${SECRET_CANARY}-${name}`
}

/** Secrets and keys in the request log of a provider that does not own them. */
function strays(keys: ReadonlyMap<string, string>): string[] {
  return names.flatMap((name) => {
    const foreign = names.filter((other) => other !== name).flatMap((other) => [secretOf(other), keys.get(other) ?? ''])
    return findSecrets(foreign.filter(Boolean), { [name]: providers.get(name)?.requests })
  })
}

/** Starts at one provider and sends the callback of another with the key of a third. */
async function mixUp(start: string, callback: string, keyOf: string): Promise<{ user: unknown; strays: string[] }> {
  const victim = new Browser()
  await victim.follow(target.startURL(start))
  const authKey = target.approved('2', keyOf).split('auth_key=')[1] ?? ''
  await victim.comeBack(`${target.callbackURL(callback)}?auth_key=${authKey}`)
  const user = await target.userOf(victim)
  return { user, strays: strays(new Map([[keyOf, authKey]])) }
}

const triples = names.flatMap((start) =>
  names.flatMap((callback) => names.map((keyOf) => ({ start, callback, keyOf, foreign: callback !== keyOf }))),
)

test('a naive strategy sends the key of one provider to another, and finishes a login at the wrong one', async () => {
  await run('naive')
  const handed = await mixUp('one', 'two', 'one')
  expect(handed.strays).not.toStrictEqual([])
  const finished = await mixUp('one', 'three', 'three')
  expect(finished.user).toBe('three:2')
})

describe.each(ours)('three providers and their callbacks (%s)', (kind) => {
  test.each(triples)('a start at $start, a callback at $callback, a key of $keyOf', async (triple) => {
    await run(kind)
    const { user, strays } = await mixUp(triple.start, triple.callback, triple.keyOf)
    const isGenuine = triple.start === triple.callback
    expect(user).toBe(isGenuine && !triple.foreign ? `${triple.start}:2` : null)
    expect(target.lastVerdict()).toBe(
      isGenuine ? (triple.foreign ? 'auth_key_rejected' : 'accepted') : 'context_mismatch',
    )
    // At its own callback, another provider's key is indistinguishable from a genuine one.
    if (!isGenuine) expect(strays).toStrictEqual([])
    expect(strays.filter((stray) => stray.includes(SECRET_CANARY))).toStrictEqual([])
  })
})

describe('a hostile provider that forwards the browser to an honest one', () => {
  /** The login page of `two` sends the browser on to the login page of `one`, where the victim has approved before. */
  async function beForwarded(): Promise<{ user: unknown; verdict: string | undefined }> {
    const victim = new Browser()
    const hostile = await victim.follow(target.startURL('two'))
    expect(hostile.location).toContain(providers.get('two')?.origin)
    await victim.comeBack(target.approved('1', 'one'))
    return { user: await target.userOf(victim), verdict: target.lastVerdict() }
  }

  test('signs people in at the honest provider instead, with a naive strategy', async () => {
    await run('naive')
    expect((await beForwarded()).user).toBe('one:1')
  })

  test.each(ours)('fails with ours (%s), and a login at the honest one works afterwards', async (kind) => {
    await run(kind)
    expect(await beForwarded()).toEqual({ user: null, verdict: 'context_mismatch' })
    expect(providers.get('one')?.requests).toStrictEqual([])
    const victim = new Browser()
    await victim.follow(target.startURL('one'))
    await victim.comeBack(target.approved('1', 'one'))
    expect(target.lastVerdict()).toBe('accepted')
  })

  test.each(ours)('cannot start the honest login by itself: the confirm page is shown (%s)', async (kind) => {
    await run(kind)
    const victim = new Browser()
    await victim.follow(target.startURL('two'))
    await victim.comeBack(target.startURL('one'))
    expect(target.lastVerdict()).toBe('confirm page')
    await victim.comeBack(target.approved('1', 'one'))
    expect(target.lastVerdict()).toBe('context_mismatch')
  })

  test.each(ours)('cannot finish a login of the honest one that the victim began (%s)', async (kind) => {
    await run(kind)
    const victim = new Browser()
    await victim.follow(target.startURL('one'))
    const evil = { headers: { referer: `${providers.get('two')?.origin}/` } }
    await victim.comeBack(target.approved('2', 'one'), evil)
    expect(target.lastVerdict()).toBe('callback_forged')
    await victim.comeBack(target.approved('2', 'two'), evil)
    expect(target.lastVerdict()).toBe('context_mismatch')
    await victim.comeBack(target.approved('1', 'one'))
    expect(target.lastVerdict()).toBe('accepted')
  })
})
