import type { FakeProvider } from '../../lib/testing'
import { EVIL, evilNavigation, fromEvil, type HTTPTarget, startTarget } from '../support/attacks/http-target'
import { type Kind, ours, SOCIAL } from '../support/attacks/target-app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const ATTACKER = '2'
const VICTIM = '1'

/** A victim, the application, and an attacker who has approved it with his own account at the provider. */
interface Scene {
  readonly target: HTTPTarget
  readonly provider: FakeProvider
  readonly victim: Browser
}

interface Attack {
  readonly title: string
  /** What the victim's browser is made to do. */
  readonly play: (scene: Scene) => Promise<unknown>
  /** How ours ends the last request. */
  readonly refusal: string
  /** Default: that the victim is signed in as the attacker. */
  readonly landed?: (scene: Scene) => Promise<boolean>
}

const logins = useLogins()

async function play(kind: Kind, attack: Attack): Promise<{ landed: boolean; verdict: string | undefined }> {
  const { provider } = logins
  const target = logins.stopLater(await startTarget({ kind, logins: [{ name: SOCIAL, provider }] }))
  const scene = { target, provider, victim: new Browser() }
  await attack.play(scene)
  const landed = await (attack.landed ?? isSignedInAsAttacker)(scene)
  return { landed, verdict: target.lastVerdict() }
}

async function isSignedInAsAttacker({ target, victim }: Scene): Promise<boolean> {
  return (await target.userOf(victim)) === `${SOCIAL}:${ATTACKER}`
}

/** Requests to the provider's API: none of them must follow from a forged callback. */
async function keyWasSpent(): Promise<boolean> {
  return logins.exchanges() > 0
}

const forged = ({ target }: Scene) => target.approved(ATTACKER)
const withoutReferer = { headers: { 'sec-fetch-site': 'cross-site' } }

const loginCSRF: Attack[] = [
  {
    title: 'a link on an evil page',
    play: (scene) => scene.victim.request(forged(scene), evilNavigation),
    refusal: 'callback_forged',
  },
  {
    title: 'a link with rel=noreferrer',
    play: (scene) => scene.victim.comeBack(forged(scene), withoutReferer),
    refusal: 'login_not_started',
  },
  {
    title: 'a mailed link',
    play: (scene) => scene.victim.comeBack(forged(scene), { headers: { 'sec-fetch-site': 'none' } }),
    refusal: 'callback_forged',
  },
  {
    title: 'a link that somebody posted inside the application',
    play: (scene) => scene.victim.follow(forged(scene)),
    refusal: 'callback_forged',
  },
  {
    title: 'an image',
    play: (scene) => scene.victim.request(forged(scene), fromEvil('no-cors', 'image')),
    refusal: 'callback_forged',
  },
  {
    title: 'a frame',
    play: (scene) => scene.victim.request(forged(scene), fromEvil('navigate', 'iframe')),
    refusal: 'callback_forged',
  },
  {
    title: 'a form that posts',
    play: (scene) => scene.victim.request(forged(scene), { ...evilNavigation, method: 'POST' }),
    refusal: 'method_not_allowed',
  },
  {
    title: 'a form that gets',
    play: (scene) => scene.victim.request(`${forged(scene)}&submit=Win`, evilNavigation),
    refusal: 'callback_forged',
  },
  {
    title: 'a script that fetches with cookies',
    play: (scene) => scene.victim.request(forged(scene), fromEvil('no-cors', 'empty')),
    refusal: 'callback_forged',
  },
  {
    title: 'a page of a sister subdomain',
    play: (scene) => scene.victim.comeBack(forged(scene), { headers: { 'sec-fetch-site': 'same-site' } }),
    refusal: 'callback_forged',
  },
]

const plantedStarts: Attack[] = (['GET', 'POST'] as const).flatMap((method) =>
  [true, false].map((referer) => ({
    title: `a start planted by ${method}, then a callback ${referer ? 'with' : 'without'} a Referer`,
    play: async (scene: Scene) => {
      const { target, victim } = scene
      const origin = { headers: { origin: EVIL } }
      await victim.request(target.startURL(), fromEvil('navigate', 'document', { method, ...origin }))
      return victim.comeBack(forged(scene), referer ? evilNavigation : withoutReferer)
    },
    refusal: referer ? 'callback_forged' : 'login_not_started',
  })),
)

const startHeaders = { iframe: 'navigate', frame: 'navigate', object: 'navigate', image: 'no-cors', empty: 'cors' }
const embeddedStarts: Attack[] = Object.entries(startHeaders).map(([dest, mode]) => ({
  title: `a start planted by ${dest}, then a callback without a Referer`,
  play: async (scene) => {
    await scene.victim.request(scene.target.startURL(), fromEvil(mode, dest))
    return scene.victim.comeBack(forged(scene), withoutReferer)
  },
  refusal: 'login_not_started',
}))

const otherAttacks: Attack[] = [
  {
    title: 'a login under way that an evil page in another tab slips its callback into',
    play: async (scene) => {
      await scene.victim.follow(scene.target.startURL())
      await scene.victim.request(forged(scene), evilNavigation)
    },
    refusal: 'callback_forged',
  },
  {
    title: 'a victim who is signed in and follows the link',
    play: async (scene) => {
      await scene.victim.follow(scene.target.startURL())
      await scene.victim.comeBack(scene.target.approved(VICTIM))
      await scene.victim.comeBack(forged(scene))
    },
    refusal: 'gone on',
  },
  {
    title: 'keys that come twice or glued together',
    play: async (scene) => {
      const { target, victim, provider } = scene
      await victim.follow(target.startURL())
      await victim.comeBack(`${forged(scene)}&auth_key=${provider.issueAuthKey(grantOf(scene))}`)
      await victim.comeBack(`${target.callbackURL()}?auth_key=${provider.issueAuthKey(grantOf(scene))}&a=1?auth_key=x`)
    },
    refusal: 'auth_key_malformed',
    landed: keyWasSpent,
  },
  {
    title: 'an attacker’s own callback, opened in the victim’s browser after a start in his own',
    play: async (scene) => {
      await new Browser().follow(scene.target.startURL())
      await scene.victim.comeBack(forged(scene))
    },
    refusal: 'login_not_started',
  },
  {
    title: 'a login under way and a callback at the route of the start',
    play: async (scene) => {
      await scene.victim.follow(scene.target.startURL())
      await scene.victim.request(`${scene.target.startURL()}?${forged(scene).split('?')[1]}`, evilNavigation)
    },
    refusal: 'callback_forged',
  },
]

function grantOf({ target }: Scene): { appID: string; userID: string } {
  return { appID: target.applications.get(SOCIAL)?.appID ?? '', userID: ATTACKER }
}

describe.each([...loginCSRF, ...plantedStarts, ...embeddedStarts, ...otherAttacks])('$title', (attack) => {
  test('lands on a naive strategy', async () => {
    expect((await play('naive', attack)).landed).toBe(true)
  })

  test.each(ours)('does not land on ours (%s)', async (kind) => {
    expect(await play(kind, attack)).toEqual({ landed: false, verdict: attack.refusal })
  })
})
