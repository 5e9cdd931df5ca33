import fc from 'fast-check'
import { replaceClock } from '../explore/clock'
import { CONFIGURATIONS, type Configuration } from '../explore/configuration'
import { eventsOf } from '../explore/events'
import { reportOf } from '../explore/story'
import { settingOf, World } from '../explore/world'
import { isSoak } from '../support/runs'

// The exploration reaches all states of small worlds; this test reaches some states of larger ones, by paths that are
// too long to be explored. A failure is told as a story; MODEL_SEED replays it.
const RUNS = isSoak ? 200_000 : 5000
const MAX_EVENTS = 80

const OUTCOMES_TO_SEE = [
  ...['redirect: redirect', 'page: page', 'accept: signed in', 'over: login_not_started'],
  ...['refuse: login_expired', 'refuse: context_mismatch', 'refuse: user_changed', 'refuse: callback_forged'],
  ...['accept: auth_key_rejected', 'accept: session_unavailable', 'accept: provider_unreachable'],
  ...['accept: provider_redirected', 'accept: provider_unavailable', 'accept: provider_bad_response'],
  ...['accept: provider_rate_limited', 'accept: profile_invalid', 'accept: profile_unauthorized'],
]

const bounds = {
  ...{ starts: 8, plantedStarts: 3, approvals: 8, injections: 3, repeats: 4, requests: 3 },
  ...{ waits: 3, setBacks: 0, restarts: 2, sessionChanges: 4, faults: 5 },
}

const worlds = CONFIGURATIONS.filter(({ name }) => name.startsWith('everything')).map(
  (configuration): Configuration => ({ ...configuration, allAnswers: true, bounds }),
)

let restore = (): void => {}
beforeAll(() => {
  restore = replaceClock()
})
afterAll(() => restore())

/** Each number chooses among the events that are possible then. */
async function follow(configuration: Configuration, choices: readonly number[], seen: Set<string>): Promise<void> {
  const world = new World(settingOf(configuration))
  const path: string[] = []
  try {
    for (const choice of choices) {
      const events = [...eventsOf(world)]
      const event = events[choice % events.length]
      if (!event) return
      path.push(event.name)
      world.judge.outcomes = []
      await event.act()
      world.judge.checkWaiting()
      for (const outcome of world.judge.outcomes) seen.add(outcome)
    }
  } catch (error) {
    const finding = { path, error: error instanceof Error ? error : new Error(String(error)) }
    throw new Error(await reportOf(configuration, finding))
  }
}

const paths = fc.tuple(fc.constantFrom(...worlds), fc.array(fc.nat(1000), { minLength: 20, maxLength: MAX_EVENTS }))

test(`${RUNS} random paths of up to ${MAX_EVENTS} events keep every promise`, async () => {
  const seen = new Set<string>()
  const seed = process.env['MODEL_SEED']
  await fc.assert(
    fc.asyncProperty(paths, ([configuration, choices]) => follow(configuration, choices, seen)),
    { numRuns: RUNS, ...(seed !== undefined && { seed: Number(seed) }) },
  )
  // Guards against paths that reach no outcomes.
  expect([...seen]).toEqual(expect.arrayContaining(OUTCOMES_TO_SEE))
}, 1_800_000)
