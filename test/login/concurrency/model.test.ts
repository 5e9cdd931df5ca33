import fc from 'fast-check'
import { providerNames } from '../../support/model/app'
import { Callback, type KeyChoice, Replay, shapes } from '../../support/model/callback'
import { Cancel, Clock, OwnPage, ProviderFault, plannedFaults, Restart } from '../../support/model/commands'
import { forgetSecrets } from '../../support/model/invariants'
import { callbackRows, startRows } from '../../support/model/rows'
import { Start } from '../../support/model/start'
import { newModel } from '../../support/model/state'
import type { StoreFault } from '../../support/model/store-fault'
import { World } from '../../support/model/world'

// Half of the sequences for each store. MODEL_SEED replays a failure.
const RUNS = Number(process.env['MODEL_RUNS'] ?? 1000)
const MAX_COMMANDS = 40
const MINUTE = 60_000

const browser = fc.constantFrom<0 | 1>(0, 1)
const provider = fc.constantFrom(...providerNames)

const OUTCOMES_TO_SEE = [
  ...['success', 'pass', 'redirect', 'start_forbidden', 'method_not_allowed', 'auth_key_missing', 'auth_key_malformed'],
  ...['callback_forged', 'login_not_started', 'login_expired', 'context_mismatch', 'user_changed', 'auth_key_rejected'],
  ...['provider_unreachable', 'provider_redirected', 'provider_unavailable', 'provider_bad_response'],
  ...['provider_rate_limited', 'profile_invalid'],
]

/** Mostly the first, so that runs get far enough for the others to take effect. */
function mostly<T, U>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<U>, weight = 3): fc.Arbitrary<T | U> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: other })
}

const storeFault = mostly(fc.constant(undefined), fc.constantFrom<StoreFault>('get', 'set'), 14)

const genuineRows = callbackRows.filter(({ verdict }) => verdict === 'genuine')
const verifiedRows = startRows.filter(({ verdict }) => verdict === 'verified')
const shapeNames = Object.keys(shapes).filter((name): name is keyof typeof shapes => Object.hasOwn(shapes, name))

const start = fc
  .tuple(
    browser,
    fc.record({
      provider,
      row: mostly(fc.constantFrom(...verifiedRows), fc.constantFrom(...startRows), 2),
      click: fc.boolean(),
      storeFault,
    }),
  )
  .map(([index, input]) => new Start(index, input))

const key = fc.oneof<fc.WeightedArbitrary<KeyChoice>[]>(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('approved'), person: fc.constantFrom(0, 1, 2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('seen before'), index: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('of another provider'), provider }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'silently approved' }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'made up' }) },
)

const callback = fc
  .tuple(
    browser,
    fc.record({
      strategy: mostly(fc.constant(undefined), provider, 5),
      key,
      row: mostly(fc.constantFrom(...genuineRows), fc.constantFrom(...callbackRows), 2),
      shape: mostly(fc.constant<keyof typeof shapes>('plain'), fc.constantFrom(...shapeNames), 10),
      twice: fc.integer({ min: 0, max: 7 }).map((number) => number === 7),
      storeFault,
    }),
  )
  .map(([index, input]) => new Callback(index, input))

const ownPage = fc
  .tuple(browser, fc.constantFrom('cart', 'become', 'logout'))
  .map(([index, page]) => new OwnPage(index, page))

const fault = fc
  .tuple(provider, fc.constantFrom(...Object.entries(plannedFaults)))
  .map(([name, [title, planned]]) => new ProviderFault(name, title, planned))

const commands = fc.commands(
  [
    ...[start, start, start, start, callback, callback, callback, callback, callback],
    browser.map((index) => new Replay(index)),
    ...[ownPage, ownPage],
    fc.tuple(browser, provider).map(([index, name]) => new Cancel(index, name)),
    fc
      .constantFrom(1000, 5 * MINUTE, 10 * MINUTE, 10 * MINUTE + 1, -30_000, -2 * MINUTE)
      .map((milliseconds) => new Clock(milliseconds)),
    fc.constant(new Restart()),
    fault,
  ],
  { maxCommands: MAX_COMMANDS, size: 'medium' },
)

describe.each(['session', 'cookie'] as const)('with the login in progress in the %s', (keep) => {
  let world: World
  const clock = { now: Date.now() }

  beforeAll(async () => {
    world = await World.start(keep)
    // The clock advances only by steps of the model, so that nothing expires in between.
    jest.spyOn(Date, 'now').mockImplementation(() => clock.now)
  })

  afterAll(async () => {
    jest.restoreAllMocks()
    await world.stop()
  })

  test(`${Math.ceil(RUNS / 2)} sequences of up to ${MAX_COMMANDS} steps keep every promise`, async () => {
    const seed = process.env['MODEL_SEED']
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        world.clear()
        forgetSecrets()
        await fc.asyncModelRun(() => ({ model: newModel(world, clock, seen), real: world }), steps)
      }),
      { numRuns: Math.ceil(RUNS / 2), ...(seed !== undefined && { seed: Number(seed) }) },
    )
    if (process.env['MODEL_VERBOSE']) console.log(keep, Object.fromEntries(seen))
    // Guards against runs that reach no outcomes.
    if (RUNS >= 1000) expect([...seen.keys()]).toEqual(expect.arrayContaining([...OUTCOMES_TO_SEE]))
  }, 1_800_000)
})
