import { type Kind, ours, SOCIAL, type TargetOptions } from '../support/attacks/target-app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'
import { until } from '../support/turns'
import { evilNavigation, type HTTPTarget, startTarget } from './http-target'

const LINK = 'link'

const logins = useLogins()
let target: HTTPTarget

async function run(kind: Kind, options: Partial<TargetOptions> = {}): Promise<void> {
  const { provider } = logins
  const both = [
    { name: SOCIAL, provider },
    { name: LINK, provider, link: true },
  ]
  target = logins.stopLater(await startTarget({ kind, logins: both, ...options }))
}

describe('a session that the attacker fixed before the login', () => {
  test.each(['naive', ...ours] as const)('is useless after it (%s)', async (kind) => {
    await run(kind)
    const attacker = new Browser()
    // A session is saved once it has content: a failed login suffices.
    await attacker.follow(target.startURL())
    await attacker.comeBack(target.callbackURL())
    const fixed = await attacker.cookies(target.origin)
    const victim = new Browser()
    await victim.follow(target.startURL(), { headers: { cookie: fixed } })
    const own = [fixed, await victim.cookies(target.origin)].filter(Boolean).join('; ')
    await victim.comeBack(target.approved('1'), {
      headers: { cookie: kind === 'cookie' || kind === 'web' ? own : fixed },
    })
    expect(await target.userOf(new Browser(), { cookie: fixed })).toBeNull()
  })
})

describe('a record of one browser', () => {
  test('is not needed by a naive strategy', async () => {
    await run('naive')
    await new Browser().follow(target.startURL())
    const other = new Browser()
    await other.comeBack(target.approved('2'))
    expect(await target.userOf(other)).toBe('social:2')
  })

  test.each(ours)('does not let another browser in (%s)', async (kind) => {
    await run(kind)
    const [first, second] = [new Browser(), new Browser()]
    await first.follow(target.startURL())
    await second.comeBack(target.approved('2'))
    expect([target.lastVerdict(), logins.exchanges(), await target.userOf(second)]).toStrictEqual([
      'login_not_started',
      0,
      null,
    ])
    await first.comeBack(target.approved('1'))
    expect(target.lastVerdict()).toBe('accepted')
  })

  test.each(ours)('that was used cannot be used again in a copy of the cookies (%s)', async (kind) => {
    await run(kind)
    const victim = new Browser()
    await victim.follow(target.startURL())
    const copy = await victim.cookies(target.origin)
    await victim.comeBack(target.approved('1'))
    const thief = new Browser()
    await thief.comeBack(target.approved('2'), { headers: { cookie: copy } })
    expect([target.lastVerdict(), logins.exchanges(), await target.userOf(thief)]).toStrictEqual([
      'login_not_started',
      1,
      null,
    ])
  })
})

describe('a cookie that a sister subdomain planted', () => {
  async function sealedRecord(): Promise<string> {
    await run('cookie')
    const attacker = new Browser()
    await attacker.follow(target.startURL())
    // On plain http of this machine there is a plain one, too, which no browser protects.
    const [guarded = ''] = (await attacker.cookies(target.origin))
      .split('; ')
      .filter((one) => one.startsWith('__Host-'))
    return guarded
  }

  test('beside the browser’s own, under the same name, stops the login', async () => {
    const planted = await sealedRecord()
    const victim = new Browser()
    await victim.follow(target.startURL())
    const cookie = `${planted}; ${await victim.cookies(target.origin)}`
    await victim.comeBack(target.approved('2'), { headers: { cookie } })
    expect([target.lastVerdict(), logins.exchanges()]).toStrictEqual(['login_not_started', 0])
  })

  // Browsers protect the name __Host-x, but not names that only a careless parser takes for it.
  test.each(['\u00a0', '\u0085', '\t\u00a0', '"', '=', '\u00c2\u00a0', '\u00ef\u00bb\u00bf'])(
    'under a name that begins with %j is not taken for the browser’s own',
    async (prefix) => {
      const planted = await sealedRecord()
      const victim = new Browser()
      const cookie = `a=b; ${prefix}${planted}`
      await victim.comeBack(target.approved('2'), { headers: { cookie } })
      expect([target.lastVerdict(), logins.exchanges()]).toStrictEqual(['login_not_started', 0])
    },
  )
})

describe('a mailed link to the callback, with an invented key, in a signed-in browser without a login', () => {
  test.each(['session', 'cookie'] as const)(
    'reaches no handler with ours, but the page of the failure (%s)',
    async (keep) => {
      const app = await logins.startApp({ keep, callback: {} })
      const victim = new Browser()
      await victim.follow(`${app.origin}/become`)
      const answer = await victim.comeBack(`${app.callbackURL}?auth_key=invented`, { headers: { accept: 'text/html' } })
      expect([answer.status, logins.exchanges()]).toStrictEqual([403, 0])
      expect(answer.body).toContain('login_not_started')
      expect(await app.userOf(victim)).toEqual({ id: 'another' })
    },
  )

  // The browser keeps the cookie of a login until the response to its callback.
  test.each(['session', 'cookie', 'web'] as const)(
    'reaches no handler either while the login that it would repeat is being finished (%s)',
    async (keep) => {
      const app = await logins.startApp({ keep, callback: {} })
      const victim = new Browser()
      await victim.follow(`${app.origin}/become`)
      await victim.follow(app.loginURL)
      logins.provider.failNext('authorize', { delay: 500 })
      const login = victim.comeBack(app.approvedCallback())
      await until(() => logins.exchanges() === 1)
      const answer = await victim.comeBack(`${app.callbackURL}?auth_key=invented`, { headers: { accept: 'text/html' } })
      expect([answer.status, answer.body]).toStrictEqual([403, expect.stringContaining('login_not_started')])
      expect((await login).status).toBe(200)
      expect(logins.exchanges()).toBe(1)
    },
  )
})

describe('linking an account to the attacker’s', () => {
  const forged = () => target.approved('2', LINK)

  test('succeeds against passport.authorize with a naive strategy', async () => {
    await run('naive')
    const victim = new Browser()
    await victim.follow(`${target.origin}/become/victim`)
    await victim.request(forged(), evilNavigation)
    expect(target.linked).toStrictEqual(['victim: link:2'])
  })

  test.each(ours)('fails against ours (%s)', async (kind) => {
    await run(kind)
    const victim = new Browser()
    await victim.follow(`${target.origin}/become/victim`)
    await victim.request(forged(), evilNavigation)
    expect(target.lastVerdict()).toBe('callback_forged')
    await victim.comeBack(forged())
    expect(target.lastVerdict()).toBe('login_not_started')
    await victim.comeBack(target.startURL(LINK))
    expect(target.lastVerdict()).toBe('confirm page')
    await victim.comeBack(forged())
    expect([target.lastVerdict(), logins.exchanges(), target.linked]).toStrictEqual(['login_not_started', 0, []])
  })

  test.each(ours)('a login that was begun does not become a link, nor a link a login (%s)', async (kind) => {
    await run(kind)
    const victim = new Browser()
    await victim.follow(`${target.origin}/become/victim`)
    await victim.follow(target.startURL())
    await victim.comeBack(forged())
    expect(target.lastVerdict()).toBe('context_mismatch')
    await victim.follow(target.startURL(LINK))
    await victim.comeBack(target.approved('2'))
    expect([target.lastVerdict(), logins.exchanges(), target.linked]).toStrictEqual(['context_mismatch', 0, []])
  })

  test.each(ours)('a link begun by one user is not finished by another (%s)', async (kind) => {
    await run(kind)
    const shared = new Browser()
    await shared.follow(`${target.origin}/become/attacker`)
    await shared.follow(target.startURL(LINK))
    const begun = await shared.cookies(target.origin)
    await shared.follow(`${target.origin}/become/victim`)
    if (kind === 'session') expect(begun).not.toBe(await shared.cookies(target.origin))
    await shared.comeBack(forged())
    expect([target.lastVerdict(), target.linked]).toStrictEqual([
      kind === 'session' ? 'login_not_started' : 'user_changed',
      [],
    ])
  })

  test.each(ours)('the victim’s own link works (%s)', async (kind) => {
    await run(kind)
    const victim = new Browser()
    await victim.follow(`${target.origin}/become/victim`)
    await victim.follow(target.startURL(LINK))
    await victim.comeBack(target.approved('1', LINK))
    expect(target.linked).toStrictEqual(['victim: link:1'])
  })
})
