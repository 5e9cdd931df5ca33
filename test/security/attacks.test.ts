import { type Kind, ours, SOCIAL } from '../support/attacks/target-app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'
import { EVIL, evilNavigation, fromEvil, type HTTPTarget, startTarget } from './http-target'

const ATTACKER = '2'
const VICTIM = '1'

/** A victim, the application, and an attacker who has approved it with their own account at the provider. */
interface Scenario {
  readonly target: HTTPTarget
  readonly victim: Browser
}

interface Attack {
  readonly title: string
  /** The requests that the attack makes the victim's browser send. */
  readonly play: (scenario: Scenario) => Promise<unknown>
  /** Our outcome of the last request. */
  readonly refusal: string
  /** Default: that the victim is signed in as the attacker. */
  readonly landed?: (scenario: Scenario) => Promise<boolean>
}

const logins = useLogins()

async function play(kind: Kind, attack: Attack): Promise<{ landed: boolean; verdict: string | undefined }> {
  const { provider } = logins
  const target = logins.stopLater(await startTarget({ kind, logins: [{ name: SOCIAL, provider }] }))
  const scenario = { target, victim: new Browser() }
  await attack.play(scenario)
  const landed = await (attack.landed ?? isSignedInAsAttacker)(scenario)
  return { landed, verdict: target.lastVerdict() }
}

async function isSignedInAsAttacker({ target, victim }: Scenario): Promise<boolean> {
  return (await target.userOf(victim)) === `${SOCIAL}:${ATTACKER}`
}

/** Requests to the provider's API: a forged callback must cause none. */
async function keyWasSpent(): Promise<boolean> {
  return logins.exchanges() > 0
}

const forged = ({ target }: Scenario) => target.approved(ATTACKER)
const withoutReferer = { headers: { 'sec-fetch-site': 'cross-site' } }

const loginCSRF: Attack[] = [
  {
    title: 'a link on an evil page',
    play: (scenario) => scenario.victim.request(forged(scenario), evilNavigation),
    refusal: 'callback_forged',
  },
  {
    title: 'a link with rel=noreferrer',
    play: (scenario) => scenario.victim.comeBack(forged(scenario), withoutReferer),
    refusal: 'login_not_started',
  },
  {
    title: 'a mailed link',
    play: (scenario) => scenario.victim.comeBack(forged(scenario), { headers: { 'sec-fetch-site': 'none' } }),
    refusal: 'login_not_started',
  },
  {
    title: 'a link on an evil page, reloaded in WebKit',
    play: (scenario) =>
      scenario.victim.request(forged(scenario), {
        headers: { ...evilNavigation.headers, 'sec-fetch-site': 'none' },
      }),
    refusal: 'callback_forged',
  },
  {
    title: 'a link posted inside the application',
    play: (scenario) => scenario.victim.follow(forged(scenario)),
    refusal: 'callback_forged',
  },
  {
    title: 'an image',
    play: (scenario) => scenario.victim.request(forged(scenario), fromEvil('no-cors', 'image')),
    refusal: 'callback_forged',
  },
  {
    title: 'a frame',
    play: (scenario) => scenario.victim.request(forged(scenario), fromEvil('navigate', 'iframe')),
    refusal: 'callback_forged',
  },
  {
    title: 'a form with POST',
    play: (scenario) => scenario.victim.request(forged(scenario), { ...evilNavigation, method: 'POST' }),
    refusal: 'method_not_allowed',
  },
  {
    title: 'a form with GET',
    play: (scenario) => scenario.victim.request(`${forged(scenario)}&submit=Win`, evilNavigation),
    refusal: 'callback_forged',
  },
  {
    title: 'a script that fetches with cookies',
    play: (scenario) => scenario.victim.request(forged(scenario), fromEvil('no-cors', 'empty')),
    refusal: 'callback_forged',
  },
  {
    title: 'a page of a sister subdomain',
    play: (scenario) => scenario.victim.comeBack(forged(scenario), { headers: { 'sec-fetch-site': 'same-site' } }),
    refusal: 'callback_forged',
  },
]

const plantedStarts: Attack[] = (['GET', 'POST'] as const).flatMap((method) =>
  [true, false].map((referer) => ({
    title: `a start planted by ${method}, then a callback ${referer ? 'with' : 'without'} a Referer`,
    play: async (scenario: Scenario) => {
      const { target, victim } = scenario
      const origin = { headers: { origin: EVIL } }
      await victim.request(target.startURL(), fromEvil('navigate', 'document', { method, ...origin }))
      return victim.comeBack(forged(scenario), referer ? evilNavigation : withoutReferer)
    },
    refusal: referer ? 'callback_forged' : 'login_not_started',
  })),
)

const startHeaders = { iframe: 'navigate', frame: 'navigate', object: 'navigate', image: 'no-cors', empty: 'cors' }
const embeddedStarts: Attack[] = Object.entries(startHeaders).map(([dest, mode]) => ({
  title: `a start planted by ${dest}, then a callback without a Referer`,
  play: async (scenario) => {
    await scenario.victim.request(scenario.target.startURL(), fromEvil(mode, dest))
    return scenario.victim.comeBack(forged(scenario), withoutReferer)
  },
  refusal: 'login_not_started',
}))

const otherAttacks: Attack[] = [
  {
    title: 'a pending login into which a page in another tab injects its callback',
    play: async (scenario) => {
      await scenario.victim.follow(scenario.target.startURL())
      await scenario.victim.request(forged(scenario), evilNavigation)
    },
    refusal: 'callback_forged',
  },
  {
    // Chromium sends no Fetch Metadata with it. Recorded behind an imitation of Envoy, which passes it on without a key.
    title: 'a pending login and a WebSocket of a sister subdomain over HTTP/2',
    play: async (scenario) => {
      const headers = { origin: 'https://sub.app.example', 'sec-websocket-version': '13' }
      await scenario.victim.follow(scenario.target.startURL())
      await scenario.victim.request(forged(scenario), { headers })
    },
    refusal: 'callback_forged',
    landed: keyWasSpent,
  },
  {
    title: 'a victim who is signed in and follows the link',
    play: async (scenario) => {
      await scenario.victim.follow(scenario.target.startURL())
      await scenario.victim.comeBack(scenario.target.approved(VICTIM))
      await scenario.victim.comeBack(forged(scenario))
    },
    refusal: 'login_not_started',
  },
  {
    title: 'a pending login and a callback at the route of the start',
    play: async (scenario) => {
      await scenario.victim.follow(scenario.target.startURL())
      await scenario.victim.request(`${scenario.target.startURL()}?${forged(scenario).split('?')[1]}`, evilNavigation)
    },
    refusal: 'callback_forged',
  },
]

describe.each([...loginCSRF, ...plantedStarts, ...embeddedStarts, ...otherAttacks])('$title', (attack) => {
  test('succeeds against a naive strategy', async () => {
    expect((await play('naive', attack)).landed).toBe(true)
  })

  test.each(ours)('fails against ours (%s)', async (kind) => {
    expect(await play(kind, attack)).toEqual({ landed: false, verdict: attack.refusal })
  })
})
