import express from 'express'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { type Application, FakeProvider } from '../../lib/testing'
import { Browser } from '../support/browser'
import type { RunningExample } from '../support/example/example-app'
import { useExamples } from '../support/example/use-examples'
import { providerEnvironment, registerExample, Visitor } from '../support/example/visitor'
import { listen } from '../support/listen'

const NAMES = { SOCIAL_NAME: 'Salt & Pepper', SOCIAL2_NAME: 'Chess Club' }
const HERE = '203.0.113.7'

describe('two communities of the example', () => {
  const examples = useExamples('all tests')
  let social: FakeProvider
  let chess: FakeProvider
  let socialApp: Application
  let chessApp: Application
  let example: RunningExample

  beforeAll(async () => {
    ;({ provider: social, application: socialApp } = examples)
    chess = examples.stopLater(
      await FakeProvider.start({ users: [{ user_id: '1', user_firstname: 'Vera' }, { user_id: '2' }] }),
    )
    chessApp = registerExample(chess, '/auth/social-login-2')
    example = await examples.start({ ...NAMES, ...providerEnvironment(chess, chessApp, 'SOCIAL2') })
  })

  const newcomer = (at = social, application = socialApp): Visitor =>
    new Visitor(at, application, at.addUser({ user_firstname: 'Ada' }).user_id)
  const linkAtChess = async (person: Visitor, userID: string, decision = 'continue'): Promise<string> => {
    const there = person.at(chess, chessApp, userID)
    await there.submit(`${example.appURL}/account/link-2`)
    expect((await there.comeBack(example.appURL)).location).toBe('/login/confirm')
    return there.confirm(example.appURL, decision)
  }
  const show = async (person: Visitor, path: string): Promise<string> =>
    (await person.browser.follow(`${example.appURL}${path}`)).body

  test('user 1 of one and user 1 of the other are two users', async () => {
    const ada = new Visitor(social, socialApp, '1')
    const vera = new Visitor(chess, chessApp, '1')
    expect(await ada.signIn(example.appURL)).toBe('/profile')
    expect(await vera.signIn(example.appURL)).toBe('/profile')
    const [first, second] = [await ada.whoAmI(example.appURL), await vera.whoAmI(example.appURL)]
    expect([first?.['provider'], first?.['id']]).toStrictEqual([social.baseURL, '1'])
    expect([second?.['provider'], second?.['id']]).toStrictEqual([chess.baseURL, '1'])
    expect(first?.['account']).not.toBe(second?.['account'])
  })

  test('the login page offers both, allows the way to both, and says where each is', async () => {
    const { body, headers } = await newcomer().browser.follow(`${example.appURL}/login?returnTo=/account`)
    for (const [path, name, { origin }] of [
      ['/auth/social-login', 'Salt &amp; Pepper', social],
      ['/auth/social-login-2', 'Chess Club', chess],
    ] as const) {
      expect(body).toContain(`action="${path}"`)
      expect(body).toContain(`Continue with ${name}</button>`)
      const host = new URL(origin).host.replaceAll('.', '<wbr>.')
      expect(body).toContain(`<strong>${name}</strong> <span class="address">(${host})</span>`)
    }
    expect(body.match(/name="returnTo" value="\/account"/g)?.length).toBe(2)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain(`form-action 'self' ${social.origin} ${chess.origin};`)
    expect(policy).toContain(`img-src 'self' ${social.origin} ${chess.origin};`)
  })

  test('a login added from the other community opens the account, and can be removed', async () => {
    const ada = newcomer()
    await ada.signIn(example.appURL)
    const account = (await ada.whoAmI(example.appURL))?.['account']
    const { user_id } = chess.addUser({ user_firstname: 'Ada' })
    expect(await linkAtChess(ada, user_id)).toBe('/account?notice=linked')
    const elsewhere = new Visitor(chess, chessApp, user_id)
    await elsewhere.signIn(example.appURL)
    expect((await elsewhere.whoAmI(example.appURL))?.['account']).toBe(account)
    const again = new Visitor(social, socialApp, ada.userID)
    await again.signIn(example.appURL)
    expect((await again.whoAmI(example.appURL))?.['account']).toBe(account)

    const page = await show(ada, '/account')
    const [, login = ''] = /name="login" value="([^"]+)" aria-label="Remove Ada[^"]* at Chess Club"/.exec(page) ?? []
    expect((await ada.submit(`${example.appURL}/account/unlink`, { login })).location).toBe('/account?notice=removed')
    expect(await elsewhere.whoAmI(example.appURL)).toBeUndefined()
    const stranger = new Visitor(chess, chessApp, user_id)
    await stranger.signIn(example.appURL)
    expect((await stranger.whoAmI(example.appURL))?.['account']).not.toBe(account)
  })

  test('the profile of an account stays that of its first login, whichever login was added or used last', async () => {
    const ada = newcomer()
    await ada.signIn(example.appURL)
    const profile = await ada.whoAmI(example.appURL)
    const { user_id } = chess.addUser({ user_firstname: 'Augusta' })
    expect(await linkAtChess(ada, user_id)).toBe('/account?notice=linked')
    expect(await ada.whoAmI(example.appURL)).toEqual(profile)
    expect(await show(ada, '/profile')).toContain('ID at Salt &amp; Pepper')
    const byChess = new Visitor(chess, chessApp, user_id)
    await byChess.signIn(example.appURL)
    expect(await byChess.whoAmI(example.appURL)).toEqual(profile)
    // Without that login, the next one is the first.
    const [, login = ''] = /name="login" value="([^"]+)"[^>]* at Salt/.exec(await show(byChess, '/account')) ?? []
    await byChess.submit(`${example.appURL}/account/unlink`, { login })
    expect(await byChess.whoAmI(example.appURL)).toMatchObject({ id: user_id, account: profile?.['account'] })
  })

  test('each question says which community each of the two logins is from', async () => {
    const ada = newcomer()
    await ada.begin(example.appURL)
    await ada.comeBack(example.appURL)
    expect(await show(ada, '/login/confirm')).toContain('This login at Salt &amp; Pepper has not been used')
    await ada.confirm(example.appURL)
    const there = ada.at(chess, chessApp, '2')
    await there.submit(`${example.appURL}/account/link-2`)
    await there.comeBack(example.appURL)
    const question = (await show(ada, '/login/confirm')).replaceAll('\n', ' ')
    expect(question).toContain(`(ID <code>${ada.userID}</code> at Salt &amp; Pepper)`)
    expect(question).toContain('following login at Chess Club')
    expect(question).toContain('<span>ID <code>2</code> at Chess Club</span>')
    expect(await there.confirm(example.appURL, 'not-me')).toBe('/account?notice=not_linked')
    expect(await show(ada, '/account')).not.toContain('at Chess Club</span>')
  })

  test('a login or link that started at one community does not end at the other, and no key is sent there', async () => {
    for (const [begun, other] of [
      [new Visitor(social, socialApp, '1'), { at: chess, application: chessApp }],
      [new Visitor(chess, chessApp, '1'), { at: social, application: socialApp }],
    ] as const) {
      await begun.begin(example.appURL)
      other.at.clearRequests()
      const wrong = begun.at(other.at, other.application, '1')
      expect((await wrong.comeBack(example.appURL)).location).toBe('/login?reason=context_mismatch')
      expect(other.at.requests).toStrictEqual([])
      expect(await show(wrong, '/login?reason=context_mismatch')).toContain('belongs to a different sign-in')
      // The login itself can still be finished.
      expect((await begun.comeBack(example.appURL)).location).toBe('/login/confirm')
    }
    const ada = newcomer()
    await ada.signIn(example.appURL)
    await ada.submit(`${example.appURL}/account/link-2`)
    const link = await ada.at(social, socialApp, '2').comeBack(example.appURL)
    expect(link.location).toBe('/account?notice=context_mismatch')
  })

  test('a profile is reloaded from the community of its login alone', async () => {
    const vera = newcomer(chess, chessApp)
    await vera.signIn(example.appURL)
    chess.updateUser(vera.userID, { user_firstname: 'Augusta' })
    social.clearRequests()
    const { location } = await vera.submit(`${example.appURL}/profile/reload`)
    expect(location).toBe('/profile?notice=reloaded')
    const page = await show(vera, '/profile')
    expect(page).toContain('Augusta')
    expect(page).toContain('Reload from Chess Club')
    expect(social.requests).toStrictEqual([])
  })

  test('a community that rejects keys keeps its guessers out, and does not keep others at their address from the other community', async () => {
    const from = (address: string, at: FakeProvider, application: Application): Visitor =>
      new Visitor(at, application, '1', { 'x-forwarded-for': address })
    const guesser = from(HERE, chess, chessApp)
    for (let count = 0; count < 10; count++) {
      await guesser.begin(example.appURL)
      expect((await guesser.comeBack(example.appURL, 'a-guess')).location).toBe('/login?reason=auth_key_rejected')
    }
    expect((await guesser.begin(example.appURL)).status).toBe(429)
    expect(await afterRejectionsAtANaiveApplication()).toBe(429)
    expect(await from(HERE, social, socialApp).signIn(example.appURL)).toBe('/profile')
    expect(await from('203.0.113.8', chess, chessApp).signIn(example.appURL)).toBe('/profile')
  })

  test('a community that lets callbacks hang delays no one who comes from the other', async () => {
    const members = Array.from({ length: 10 }, () => newcomer(chess, chessApp))
    for (const member of members) await member.begin(example.appURL)
    chess.clearRequests()
    chess.failNext('authorize', { hang: true }, { times: 10 })
    const hung = Promise.allSettled(members.map((member) => member.comeBack(example.appURL)))
    while (chess.requests.length < 10) await new Promise((resolve) => setImmediate(resolve))
    expect(await newcomer().signIn(example.appURL)).toBe('/profile')
    // Each would try for seconds to reach the provider that has gone.
    await Promise.all([chess.stop(), example.stop('SIGKILL')])
    await hung
  })
})

/** Counts what either of two communities rejects by the address alone. @returns the status at the other */
async function afterRejectionsAtANaiveApplication(): Promise<number> {
  const rejected = new RateLimiterMemory({ points: 10, duration: 600 })
  const app = express()
  app.get('/:community/callback', async (req, res) => {
    const state = await rejected.get(req.ip ?? '')
    if (state && state.consumedPoints >= 10) return void res.sendStatus(429)
    const isRejected = req.params.community === 'chess'
    if (isRejected) await rejected.penalty(req.ip ?? '')
    res.sendStatus(isRejected ? 401 : 200)
  })
  await using server = await listen(app)
  for (let count = 0; count < 10; count++) await new Browser().request(`${server.origin}/chess/callback`)
  return (await new Browser().request(`${server.origin}/social/callback`)).status
}
