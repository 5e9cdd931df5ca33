import type { IncomingMessage } from 'node:http'
import express from 'express'
import { Passport, Strategy as PassportStrategy } from 'passport'
import { OUTCOMES, type PendingLogin, type PendingLoginStore, SessionStore } from '../../lib'
import type { Fault } from '../../lib/testing'
import { Browser, type BrowserAnswer } from '../support/browser'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'
import { until } from '../support/turns'

// `passport.authenticate(strategy)` makes no copy of the strategy: all requests share one object, on which Passport sets its five
// actions for each. (Many logins at once: concurrency/.)

const logins = useLogins()

/** Strategies are commonly written like this. */
class NaiveStrategy extends PassportStrategy {
  override name = 'naive'
  readonly waiting: (() => void)[] = []
  override authenticate(): void {
    const user = { id: String(this.waiting.length + 1) }
    this.waiting.push(() => this.success(user))
  }
}

test('a naive strategy signs the first person in to the browser of the second one', async () => {
  const naive = new NaiveStrategy()
  const app = express().get('/', new Passport().authenticate(naive, { session: false }), (req, res) =>
    res.json(req.user),
  )
  const { origin, stop } = await listen(app)
  const first = new Browser().request(origin).catch(() => 'never answered')
  await until(() => naive.waiting.length === 1)
  const second = new Browser().request(origin)
  await until(() => naive.waiting.length === 2)
  naive.waiting[0]?.()
  expect(JSON.parse((await second).body)).toEqual({ id: '1' })
  await stop()
  expect(await first).toBe('never answered')
})

/** Has the first browser wait in the middle of its request, the second one finish, and then the first one go on. */
async function overlap<T>(
  first: () => Promise<T>,
  isWaiting: () => boolean,
  second: () => Promise<unknown>,
  goOn: () => void,
) {
  const answer = first()
  await until(isWaiting)
  await second()
  goOn()
  return answer
}

// A login that waits for the provider ends by one of these three.
test.each<[string, string, Fault, (answer: BrowserAnswer) => unknown, unknown]>([
  ['success', 'good', {}, ({ body }) => JSON.parse(body).user.id, '1'],
  ['fail', 'bad', {}, ({ status }) => status, OUTCOMES.auth_key_rejected.status],
  ['error', 'good', { status: 500 }, ({ status }) => status, OUTCOMES.provider_unavailable.status],
])(
  'with ours the %s of a login goes to its own browser, although another login came meanwhile',
  async (_, key, fault, seen, own) => {
    const app = await logins.startApp({ byInstance: true })
    const [one, other] = [new Browser(), new Browser()]
    await one.follow(app.loginURL)
    await other.follow(app.loginURL)
    logins.provider.failNext('authorize', { ...fault, delay: 300 })
    const authKey = key === 'good' ? app.newKey('1') : 'a-key-that-nobody-has'
    const first = await overlap(
      () => one.comeBack(`${app.callbackURL}?auth_key=${authKey}`),
      () => logins.exchanges() === 1,
      async () => expect(JSON.parse((await other.comeBack(app.approvedCallback('2'))).body).user.id).toBe('2'),
      () => {},
    )
    expect(seen(first)).toEqual(own)
  },
)

/** The session, of which the first access waits for {@link HeldStore.goOn}. */
class HeldStore implements PendingLoginStore {
  goOn: (() => void) | undefined
  isHolding = false
  readonly #session = new SessionStore()

  async save(req: IncomingMessage, record: PendingLogin): Promise<void> {
    await this.#hold()
    await this.#session.save(req, record)
  }

  async load(req: IncomingMessage): Promise<PendingLogin | undefined> {
    await this.#hold()
    return this.#session.load(req)
  }

  async consume(req: IncomingMessage, record: PendingLogin): Promise<void> {
    await this.#session.consume(req, record)
  }

  #hold(): Promise<void> {
    if (!this.isHolding) return Promise.resolve()
    this.isHolding = false
    return new Promise((resolve) => {
      this.goOn = resolve
    })
  }
}

// What waits for the store ends by one of these two.
test.each(['redirect', 'fail'])('with ours the %s of a request goes to its own browser', async (action) => {
  const store = new HeldStore()
  const app = await logins.startApp({ byInstance: true, strategy: { store }, callback: {} })
  const [one, other] = [new Browser(), new Browser()]
  store.isHolding = true
  const first = await overlap(
    () => (action === 'fail' ? one.comeBack(app.approvedCallback()) : one.follow(app.loginURL)),
    () => store.goOn !== undefined,
    async () => expect((await other.follow(app.loginURL)).status).toBe(302),
    () => store.goOn?.(),
  )
  if (action === 'fail') expect(first.status).toBe(403)
  else expect(first.location).toContain(logins.provider.origin)
})
