import { DEFAULT_TIMEOUT_MS, MAX_AGE_MS, RETENTION_MS } from '../../limits'
import type { CookieBrowser } from '../cookie-browser'
import { type Deployment, mustBeConsumed, mustFind, mustFindNothing, mustReject, type Step } from './deployment'
import { allKinds, newRecord } from './records'

/** One rule of the contract of a `PendingLoginStore`. */
interface Rule {
  /** The rule in a sentence; also in the table of docs/stores.md. */
  readonly rule: string
  /** @throws an error that says what was seen, where the rule is broken */
  check(deployment: Deployment): Promise<void>
}

const MINUTE = 60 * 1000
// The last moment of a login that is looked at: the rest is for a slow machine.
const LATEST_MS = MAX_AGE_MS - 15_000
const CALLBACKS = 8

/** The contract, in the order of the checks: each relies on those before it. */
export const RULES: readonly Rule[] = [
  {
    rule: 'A browser without a login finds nothing: load resolves to undefined.',
    async check(deployment) {
      await mustFindNothing(deployment, deployment.newBrowser(), 'a new browser')
    },
  },
  {
    rule: 'The next request of the browser finds what its start saved, in every process, with each field unchanged.',
    async check(deployment) {
      for (const record of allKinds()) {
        const browser = deployment.newBrowser()
        await deployment.save(browser, record)
        for (const process of [0, 1]) await mustFind(deployment, browser, record, process)
      }
    },
  },
  { rule: 'No other browser finds or replaces it, even from the same address.', check: keepsApart },
  {
    rule: 'A browser whose cookies were altered finds nothing.',
    async check(deployment) {
      const browser = deployment.newBrowser()
      await deployment.save(browser, newRecord())
      await mustFindNothing(deployment, browser.forge(), 'it')
    },
  },
  {
    rule: 'A newer start of the browser replaces the older one.',
    async check(deployment) {
      const browser = deployment.newBrowser()
      const newer = newRecord()
      await deployment.save(browser, newRecord({ state: 'older', returnTo: '/older' }))
      await deployment.save(browser, newer, 1)
      for (const process of [0, 1]) await mustFind(deployment, browser, newer, process)
      await deployment.consume(browser)
      await mustBeConsumed(deployment, browser)
    },
  },
  {
    rule: 'A consumed login is not found unconsumed again, in any process; a new start is.',
    async check(deployment) {
      const browser = deployment.newBrowser()
      for (const process of [0, 1]) {
        const record = newRecord()
        await deployment.save(browser, record, process)
        await mustFind(deployment, browser, record)
        await deployment.consume(browser, process)
        await mustBeConsumed(deployment, browser)
      }
    },
  },
  {
    rule: 'A callback that was sent before the first was answered still finds the login: consume marks it, and does not delete it.',
    async check(deployment) {
      const browser = deployment.newBrowser()
      const record = newRecord()
      await deployment.save(browser, record)
      const second = browser.copy()
      await deployment.consume(browser)
      for (const process of [0, 1]) {
        const found = await deployment.load(second, process)
        if (found?.id !== record.id) throw new Error(`load resolved to ${found ? 'another login' : 'undefined'}`)
      }
    },
  },
  {
    rule: 'Of concurrent callbacks, one consumes the login: its consume resolves to true, that of the others to false (unless atomic is false).',
    check: consumesOnce,
  },
  {
    rule: 'A callback of an older login, which a newer start has replaced meanwhile, leaves the newer one as it was (unless atomic is false).',
    check: comparesID,
  },
  { rule: 'Other cookies of the response and other content of the session stay.', check: leavesOthers },
  {
    rule: `A login is kept for ${MAX_AGE_MS / MINUTE} minutes, and gone after ${RETENTION_MS / MINUTE}; until then a consumed one stays consumed.`,
    check: expires,
  },
  {
    rule: `While the storage is away each method rejects within ${DEFAULT_TIMEOUT_MS / 1000} seconds; afterwards the login is as it was.`,
    check: survivesOutage,
  },
]

async function keepsApart(deployment: Deployment): Promise<void> {
  const browsers = Array.from({ length: 10 }, () => ({ browser: deployment.newBrowser(), record: newRecord() }))
  const [first, ...others] = browsers
  if (first) await deployment.save(first.browser, first.record)
  for (const { browser } of others) await mustFindNothing(deployment, browser, 'a second browser')
  // The records are saved together, because a store might keep something of one request until the next.
  const saved = barrier(others.length)
  await Promise.all(others.map(({ browser, record }, number) => deployment.save(browser, record, number, saved)))
  const loaded = barrier(browsers.length)
  await Promise.all(
    browsers.map(({ browser, record }, number) => mustFind(deployment, browser, record, number, loaded)),
  )
}

async function consumesOnce(deployment: Deployment): Promise<void> {
  const browser = deployment.newBrowser()
  await deployment.save(browser, newRecord())
  const copies = Array.from({ length: CALLBACKS }, () => browser.copy())
  const allLoaded = barrier(CALLBACKS)
  const results = await Promise.all(copies.map((copy, number) => deployment.consume(copy, number, allLoaded)))
  if (deployment.options.atomic === false) return
  const counts = [true, false, undefined].map((result) => results.filter((each) => each === result).length)
  if (counts[0] !== 1 || counts[1] !== CALLBACKS - 1) {
    throw new Error(
      `of ${CALLBACKS} concurrent calls in two processes ${counts[0]} resolved to true, ${counts[1]} to false, ${counts[2]} to undefined (the option atomic: false leaves this rule out)`,
    )
  }
}

async function comparesID(deployment: Deployment): Promise<void> {
  if (deployment.options.atomic === false) return
  const browser = deployment.newBrowser()
  await deployment.save(browser, newRecord())
  const newer = newRecord()
  await deployment.consume(browser.copy(), 0, () => deployment.save(browser, newer, 1))
  await mustFind(deployment, browser, newer)
}

async function leavesOthers(deployment: Deployment): Promise<void> {
  const browser = deployment.newBrowser()
  const record = newRecord()
  const uses: Record<string, Step<unknown>> = {
    save: (store, req) => store.save(req, record),
    consume: (store, req) => store.consume(req, record),
  }
  for (const [method, use] of Object.entries(uses)) await withOthers(deployment, browser, use, method)
}

/** Sets a cookie and a session value beside one use of the store, and looks for both at the next request. */
async function withOthers(
  deployment: Deployment,
  browser: CookieBrowser,
  use: Step<unknown>,
  method: string,
): Promise<void> {
  const hasSession = await deployment.visit(0, browser, 'start', async (store, req, res) => {
    res.setHeader('Set-Cookie', [`other=${method}; Path=/`])
    const session: unknown = Reflect.get(req, 'session')
    const exists = typeof session === 'object' && session !== null
    if (exists) Reflect.set(session, 'other', method)
    await use(store, req, res)
    return exists
  })
  if (!browser.header.includes(`other=${method}`)) throw new Error(`a cookie was gone after ${method}`)
  const stays = await deployment.visit(1, browser, 'callback', async (_store, req) => {
    const session: unknown = Reflect.get(req, 'session')
    return !hasSession || Reflect.get(Object(session), 'other') === method
  })
  if (!stays) throw new Error(`a value of the session was gone after ${method}`)
}

async function expires(deployment: Deployment): Promise<void> {
  const { passTime } = deployment.options
  if (!passTime) return
  const advance = async (milliseconds: number): Promise<void> => {
    deployment.clock.advance(milliseconds)
    await passTime(milliseconds)
  }
  const [browser, other] = [deployment.newBrowser(), deployment.newBrowser()]
  const record = newRecord()
  await deployment.save(browser, record)
  await deployment.save(other, newRecord())
  const copy = other.copy()
  await deployment.consume(other)
  let age = 0
  for (let number = 0; age < LATEST_MS; number += 1) {
    const step = Math.min(MINUTE, LATEST_MS - age)
    await advance(step)
    age += step
    await mustFind(deployment, browser, record, number)
    await mustBeConsumed(deployment, other)
    const isUsable = deployment.options.atomic !== false && (await deployment.consume(copy, number))
    if (isUsable) throw new Error(`a copy of its cookies could consume it again, ${number + 1} min after the first`)
  }
  await advance(RETENTION_MS + 1000 - age)
  await mustFindNothing(deployment, browser, `the browser, ${RETENTION_MS / MINUTE} minutes after its start,`)
}

async function survivesOutage(deployment: Deployment): Promise<void> {
  const { outage } = deployment.options
  if (!outage) return
  const browser = deployment.newBrowser()
  const record = newRecord()
  await deployment.save(browser, record)
  await outage.begin()
  try {
    await mustReject('load', deployment.load(browser))
    await mustReject('save', deployment.save(deployment.newBrowser(), newRecord()))
    const consume = deployment.visit(1, browser, 'callback', (store, req) => store.consume(req, record))
    await mustReject('consume', consume)
  } finally {
    await outage.end()
  }
  await mustFind(deployment, browser, record)
}

/** A function whose promises resolve once it has been called so often. */
function barrier(calls: number): () => Promise<void> {
  let open = (): void => {}
  let count = 0
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return () => {
    count += 1
    if (count === calls) open()
    return opened
  }
}
