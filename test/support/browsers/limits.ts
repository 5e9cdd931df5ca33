import type { LiveBrowser } from './live-browser'

type Engine = LiveBrowser['name']

/** What an engine cannot do, as it is installed here, and why. */
const LIMITS = {
  'speculation rules': { firefox: 'it has none', webkit: 'they are off' },
  'link rel=prefetch': { webkit: 'it is off' },
  'cookies named __Host-': { webkit: 'libsoup does not enforce the prefix; Safari has another network library' },
} as const satisfies Readonly<Record<string, Partial<Readonly<Record<Engine, string>>>>>

/** `test` or `describe` in an engine with an ability; in one without it, one that is skipped, and the log says why. */
export function where(name: Engine, ability: keyof typeof LIMITS): { test: jest.It; describe: jest.Describe } {
  const limits: Partial<Readonly<Record<Engine, string>>> = LIMITS[ability]
  const { [name]: reason } = limits
  if (reason === undefined) return { test, describe }
  console.log(`Tests that need ${ability} are skipped in ${name}: ${reason}.`)
  return { test: test.skip, describe: describe.skip }
}
