import cookieSession from 'cookie-session'
import type { RequestHandler } from 'express'
import { CookieStore, type PendingLogin, type PendingLoginStore, SessionStore } from '../../../lib'
import { checkPendingLoginStore, type PendingLoginStoreCheck } from '../../../lib/testing'
import { RULES } from '../../../lib/testing/pending-login-store/rules'
import { COOKIE_KEY_CANARY, keepSessions } from '../../support/app'
import { HookedStore } from '../../support/hooked-store'
import { Database, OwnStore, responseOf } from '../../support/own-store'

const middlewareOf = (store = new HookedStore()): RequestHandler => keepSessions(store)

describe('stores that keep the contract', () => {
  test('SessionStore in express-session, whose store may fail', async () => {
    const sessions = new HookedStore()
    const outage = {
      begin: async () => {
        sessions.before = () => Promise.reject(new Error('away'))
      },
      end: async () => {
        sessions.before = undefined
      },
    }
    const options = { middleware: middlewareOf(sessions), atomic: false, outage }
    await expect(checkPendingLoginStore(() => new SessionStore(), options)).resolves.toBeUndefined()
  })

  test('SessionStore in cookie-session', async () => {
    const middleware = cookieSession({ name: 's', secret: 's' })
    await expect(
      checkPendingLoginStore(() => new SessionStore(), { middleware, atomic: false }),
    ).resolves.toBeUndefined()
  })

  test.each([
    ['without a session', undefined],
    ['beside a session', middlewareOf()],
  ])('CookieStore %s, whose cookie the browser drops in time', async (_, middleware) => {
    const makeStore = (): CookieStore => new CookieStore({ keys: [COOKIE_KEY_CANARY] })
    const passTime = async (): Promise<void> => {}
    await expect(checkPendingLoginStore(makeStore, { middleware, atomic: false, passTime })).resolves.toBeUndefined()
  })

  test('a store in a database of its own, with every rule', async () => {
    const database = new Database()
    const { passTime, outage } = database
    const makeStore = async (): Promise<OwnStore> => new OwnStore(database)
    await expect(
      checkPendingLoginStore(makeStore, { passTime, outage, middleware: middlewareOf() }),
    ).resolves.toBeUndefined()
  })
})

const [NOTHING, FOUND, APART, FORGED, NEWER, CONSUMED, MARKED, ONCE, OLDER, OTHERS, LIFETIME, OUTAGE] = RULES.map(
  ({ rule }) => rule,
)

type Incoming = Parameters<OwnStore['save']>[0]

class NoLoginIsAnError extends OwnStore {
  override async load(req: Incoming): Promise<PendingLogin> {
    const record = await super.load(req)
    if (!record) throw new Error('no such row')
    return record
  }
}

class MergesState extends OwnStore {
  override save(req: Incoming, record: PendingLogin): Promise<void> {
    const merged: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(Object(record.state))) merged[name] = value
    return super.save(req, Object.assign({}, record, { state: merged }))
  }
}

class RenewsTheTime extends OwnStore {
  override async load(req: Incoming): Promise<PendingLogin | undefined> {
    const record = await super.load(req)
    return record && { ...record, issuedAt: Date.now() + 1 }
  }
}

class ByAddress extends OwnStore {
  protected override newID(req: Incoming): string {
    return this.idOf(req)
  }
  protected override idOf(req: Incoming): string {
    return String(req.socket.remoteAddress)
  }
}

class KeepsTheRecordInAField extends OwnStore {
  #record: PendingLogin | undefined
  override async save(req: Incoming, record: PendingLogin): Promise<void> {
    this.#record = record
    await this.database.get('whether this browser is blocked')
    return super.save(req, this.#record)
  }
}

class LooksUpWhatAnotherAsksFor extends OwnStore {
  #id: string | undefined
  override async load(req: Incoming): Promise<PendingLogin | undefined> {
    this.#id = super.idOf(req)
    await this.database.get('whether this browser is blocked')
    return super.load(req)
  }
  protected override idOf(req: Incoming): string {
    return this.#id ?? super.idOf(req)
  }
}

class ReadsHalfOfTheCookie extends OwnStore {
  protected override newID(req: Incoming): string {
    return super.newID(req).slice(0, 10)
  }
  protected override idOf(req: Incoming): string {
    return super.idOf(req).slice(0, 10)
  }
  protected override setCookie(req: Incoming, id: string): void {
    super.setCookie(req, `${id}-the-rest-is-not-read`)
  }
}

/** Every login of a browser has the same id. */
class OneIDForEachBrowser extends OwnStore {
  protected override newID(req: Incoming): string {
    const id = this.idOf(req)
    return id === 'none' ? super.newID(req) : id
  }
}

class KeepsTheOlder extends OneIDForEachBrowser {
  override async save(req: Incoming, record: PendingLogin): Promise<void> {
    const id = this.newID(req)
    await this.database.insert(id, JSON.stringify(record), this.lifetime)
    this.setCookie(req, id)
  }
}

/** Keeps one login for each browser, and marks it whatever its id. */
class MarksTheNewer extends OneIDForEachBrowser {
  override async save(req: Incoming, record: PendingLogin): Promise<void> {
    await this.database.delete(`used ${this.idOf(req)}`)
    await super.save(req, record)
  }
}

class NeverMarks extends OwnStore {
  override async consume(): Promise<boolean> {
    return true
  }
}

class LooksThenMarks extends OwnStore {
  override async consume(req: Incoming): Promise<boolean> {
    const key = `used ${this.idOf(req)}`
    const isFirst = (await this.database.get(key)) === undefined
    await this.database.set(key, 'yes', this.usedLifetime)
    return isFirst
  }
}

class DoesNotTell extends OwnStore {
  override async consume(req: Incoming, record: PendingLogin): Promise<void> {
    await super.consume(req, record)
  }
}

class DeletesWhatWasUsed extends OwnStore {
  override async consume(req: Incoming): Promise<boolean> {
    await this.database.delete(this.idOf(req))
    return true
  }
}

class KeepsTheUseAsALogin extends OwnStore {
  override async consume(req: Incoming, record: PendingLogin): Promise<boolean | void> {
    await this.database.set(this.idOf(req), JSON.stringify({ ...record, id: `use of ${record.id}` }), this.lifetime)
    return super.consume(req, record)
  }
}

class ReplacesCookies extends OwnStore {
  protected override setCookie(req: Incoming, id: string): void {
    responseOf(req).setHeader('Set-Cookie', `login=${id}; Path=/; HttpOnly`)
  }
}

class EmptiesTheSession extends OwnStore {
  override async save(req: Incoming, record: PendingLogin): Promise<void> {
    const session: unknown = Reflect.get(req, 'session')
    for (const name of Object.keys(Object(session)))
      if (name !== 'cookie') Reflect.deleteProperty(Object(session), name)
    return super.save(req, record)
  }
}

class NeverExpires extends OwnStore {
  protected override lifetime = Infinity
}

class ExpiresEarly extends OwnStore {
  protected override lifetime = 5 * 60 * 1000
}

class ForgetsWhatWasUsed extends OwnStore {
  protected override usedLifetime = 60 * 1000
}

/** A sealed cookie comes back when somebody has copied it. */
class RemembersUsedCookiesForAMinute implements PendingLoginStore {
  readonly #cookies = new CookieStore({ keys: [COOKIE_KEY_CANARY] })
  readonly save = this.#cookies.save.bind(this.#cookies)
  readonly load = this.#cookies.load.bind(this.#cookies)

  constructor(private readonly database: Database) {}

  async consume(req: Incoming, record: PendingLogin): Promise<boolean> {
    await this.#cookies.consume(req, record)
    return this.database.insert(record.id, 'used', 60 * 1000)
  }
}

class FindsNothingInAnOutage extends OwnStore {
  override async load(req: Incoming): Promise<PendingLogin | undefined> {
    return super.load(req).catch(() => undefined)
  }
}

class SavesNothingInAnOutage extends OwnStore {
  override async save(req: Incoming, record: PendingLogin): Promise<void> {
    await super.save(req, record).catch(() => {})
  }
}

class ConsumesNothingInAnOutage extends OwnStore {
  override async consume(req: Incoming, record: PendingLogin): Promise<boolean | void> {
    return super.consume(req, record).catch(() => true)
  }
}

describe('a store that breaks the contract is refused by the rule, with what was seen', () => {
  const undef = 'load resolved to undefined'
  const broken: [
    title: string,
    store: new (database: Database) => PendingLoginStore,
    rule: string | undefined,
    seen: string,
  ][] = [
    ['rejects where there is no login', NoLoginIsAnError, NOTHING, 'no such row'],
    ['merges the state into an object', MergesState, FOUND, 'state was'],
    ['renews the time of the start', RenewsTheTime, FOUND, 'issuedAt was'],
    ['keys logins by address', ByAddress, APART, 'a second browser found {"id":'],
    ['keeps a record in a field across an await', KeepsTheRecordInAField, APART, 'load resolved to another login'],
    ['keeps an id in a field across an await', LooksUpWhatAnotherAsksFor, APART, 'load resolved to another login'],
    ['reads a part of its cookie', ReadsHalfOfTheCookie, FORGED, 'it found {"id":'],
    ['keeps the older of two starts', KeepsTheOlder, NEWER, 'load resolved to another login'],
    ['accepts a used login again', NeverMarks, NEWER, 'load resolved to a login without `consumed: true`'],
    ['takes a new login for the used one', OneIDForEachBrowser, CONSUMED, 'load resolved to a consumed login'],
    ['deletes what was used', DeletesWhatWasUsed, MARKED, undef],
    ['keeps the use in place of the login', KeepsTheUseAsALogin, MARKED, 'load resolved to another login'],
    ['looks before it marks', LooksThenMarks, ONCE, '8 resolved to true, 0 to false, 0 to undefined'],
    ['does not tell who was first', DoesNotTell, ONCE, '0 resolved to true, 0 to false, 8 to undefined'],
    ['marks the newer login in place of the older', MarksTheNewer, OLDER, 'load resolved to a consumed login'],
    ['replaces the cookies of the response', ReplacesCookies, OTHERS, 'a cookie was gone after save'],
    ['empties the session', EmptiesTheSession, OTHERS, 'a value of the session was gone after save'],
    ['never expires', NeverExpires, LIFETIME, 'the browser, 11 minutes after its start, found {"id":'],
    ['expires early', ExpiresEarly, LIFETIME, undef],
    ['forgets early what was used', ForgetsWhatWasUsed, LIFETIME, 'load resolved to a login without `consumed: true`'],
    [
      'forgets early which cookies were used',
      RemembersUsedCookiesForAMinute,
      LIFETIME,
      'a copy of its cookies could consume it again, 1 min after the first',
    ],
    ['finds nothing in an outage', FindsNothingInAnOutage, OUTAGE, undef],
    ['claims to save in an outage', SavesNothingInAnOutage, OUTAGE, 'save resolved to undefined'],
    ['claims to consume in an outage', ConsumesNothingInAnOutage, OUTAGE, 'consume resolved to true'],
  ]

  test.each(broken)('one that %s', async (_title, Store, rule, seen) => {
    const database = new Database()
    const { passTime, outage } = database
    const check = checkPendingLoginStore(() => new Store(database), {
      passTime,
      outage,
      // Only where it matters: it is slow.
      middleware: rule === OTHERS ? middlewareOf() : undefined,
    })
    const message = await check.then(() => 'it was accepted', messageOf)
    expect(message).toContain(`The PendingLoginStore breaks the rule "${rule}" Seen: `)
    expect(message).toContain(seen)
  })

  test('one that each process keeps in its own memory', async () => {
    const message = await checkPendingLoginStore(() => new OwnStore(new Database())).then(String, messageOf)
    expect(message).toContain(`"${FOUND}" Seen: ${undef} in the other process`)
  })

  test('SessionStore, unless the check is told that it is not atomic', async () => {
    const check = checkPendingLoginStore(() => new SessionStore(), { middleware: middlewareOf() })
    expect(await check.then(String, messageOf)).toContain(`"${ONCE}" Seen: of 8 concurrent calls`)
  })

  test('one whose record does not fit into a cookie', async () => {
    class InACookie extends CookieStore {
      override save(req: Incoming, record: PendingLogin): Promise<void> {
        return super.save(req, record.state === undefined ? record : { ...record, startSite: 'x'.repeat(1000) })
      }
    }
    const check = checkPendingLoginStore(() => new InACookie({ keys: [COOKIE_KEY_CANARY] }), { atomic: false })
    expect(await check.then(String, messageOf)).toContain(`"${FOUND}" Seen: ${undef}`)
  })
})

describe('middleware', () => {
  const check = (middleware: PendingLoginStoreCheck['middleware']): Promise<string> =>
    checkPendingLoginStore(() => new OwnStore(new Database()), { middleware }).then(String, messageOf)

  test('that throws, fails or answers by itself ends the check with what it did', async () => {
    const thrown = await check(() => {
      throw new Error('thrown')
    })
    expect(thrown).toContain('Seen: thrown')
    expect(await check((_req, _res, next) => next(new Error('failed')))).toContain('Seen: failed')
    const answering: RequestHandler = (_req, res) => void res.end()
    expect(await check(answering)).toContain('Seen: the middleware answered the request itself')
  })
})

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

test('the check saves every kind of record, each as a start makes it, and lets a whole life of a login pass', async () => {
  const database = new Database()
  const [saved, times]: [PendingLogin[], number[]] = [[], []]
  /** How often each of the two processes was used. */
  const [saves, loads, consumed] = [
    [0, 0],
    [0, 0],
    [0, 0],
  ]
  const count = (counts: number[], process: number): void => {
    counts[process] = Number(counts[process]) + 1
  }
  let processes = 0
  class Watched extends OwnStore {
    readonly #process = processes++
    override save(req: Incoming, record: PendingLogin): Promise<void> {
      saved.push(record)
      count(saves, this.#process)
      return super.save(req, record)
    }
    override load(req: Incoming): Promise<PendingLogin | undefined> {
      count(loads, this.#process)
      return super.load(req)
    }
    override consume(req: Incoming, record: PendingLogin): Promise<boolean | void> {
      count(consumed, this.#process)
      return super.consume(req, record)
    }
  }
  const passTime = async (milliseconds: number): Promise<void> => {
    times.push(milliseconds)
    await database.passTime(milliseconds)
  }
  await checkPendingLoginStore(() => new Watched(database), { passTime, outage: database.outage })
  const [, , largest, ...others] = saved.slice(0, 9)
  expect(Buffer.byteLength(JSON.stringify(largest?.state))).toBe(1024)
  expect([largest?.returnTo, largest?.tab]).toStrictEqual([
    `/${'a'.repeat(1023)}`,
    expect.stringMatching(/^[\w-]{43}$/),
  ])
  expect(others.map(({ state }) => state)).toStrictEqual([null, false, 0, '', [[]], { big: 2 ** 60, small: 5e-324 }])
  for (const { id, strategyDigest, user } of saved) {
    expect([id, strategyDigest]).toStrictEqual([
      expect.stringMatching(/^[\w-]{22}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ])
    if (user !== null) expect(user).toMatch(/^[\w-]{43}$/)
  }
  // No login is that of another rule, and both processes do everything.
  expect(new Set(saved.map(({ id }) => id)).size).toBe(saved.length)
  for (const counts of [saves, loads, consumed]) expect(counts).toStrictEqual([expect.any(Number), expect.any(Number)])
  expect(times).toStrictEqual([...Array<number>(9).fill(60_000), 45_000, 76_000])
})

test.each([200, 201])('of what was seen, 200 characters are told: of %d', async (length) => {
  const found = { a: 'x'.repeat(length - 8) }
  class FindsAText extends OwnStore {
    override async load(): Promise<PendingLogin> {
      return Object(found)
    }
  }
  const message = await checkPendingLoginStore(() => new FindsAText(new Database())).then(String, messageOf)
  const seen = JSON.stringify(found)
  expect(message).toBe(
    `The PendingLoginStore breaks the rule "${NOTHING}" Seen: a new browser found ${length === 200 ? seen : `${seen.slice(0, 200)} …`}`,
  )
})

test('several stores can be checked at once', async () => {
  const check = (): Promise<void> => {
    const database = new Database()
    return checkPendingLoginStore(() => new OwnStore(database))
  }
  await expect(Promise.all([check(), check()])).resolves.toStrictEqual([undefined, undefined])
})
