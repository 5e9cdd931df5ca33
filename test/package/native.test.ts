import { createHash } from 'node:crypto'
import express from 'express'
import { MemoryStore } from 'express-session'
import passport from 'passport'
import { Strategy } from '../../lib'
import { keepSessions, newPassport } from '../support/app'
import { Browser } from '../support/browser'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'
import { nativeApp, nativeServer } from './docs/native'

const VERIFIER = 'a verifier that only the app knows'
const REDIRECT = 'http://127.0.0.1:4000/signed-in'
const challenge = createHash('sha256').update(VERIFIER).digest('base64url')

/** The server of docs/guides/native.md. */
describe('the server of a native application', () => {
  const logins = useLogins()
  let origin: string
  let newKey: () => string

  beforeEach(async () => {
    const server = express()
    ;({ origin } = logins.stopLater(await listen(server)))
    const callbackURL = `${origin}/native/callback`
    const { appID, appSecret } = logins.provider.registerApplication({ name: 'Native', redirectURL: callbackURL })
    const { baseURL } = logins.provider
    const settings = { name: 'native', baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
    newPassport([new Strategy(settings, (_accessToken, _refreshToken, { id }) => ({ id }))], passport)
    server.use(keepSessions(new MemoryStore()), passport.session())
    server.get('/me', (req, res) => void res.json(req.user ?? null))
    nativeServer(server, (user) => `token of ${Reflect.get(user, 'id')}`)
    newKey = () => logins.provider.issueAuthKey({ appID, userID: '1' })
  })
  afterEach(() => jest.useRealTimers())

  const startWith = (query: Record<string, string> | string, browser = new Browser()) =>
    browser.follow(`${origin}/native/start?${new URLSearchParams(query)}`)

  /** @returns the code that the browser brings to the app's address */
  async function logIn(browser = new Browser()): Promise<string> {
    expect((await startWith({ challenge, redirect: REDIRECT }, browser)).status).toBe(302)
    const { location } = await browser.comeBack(`${origin}/native/callback?auth_key=${newKey()}`)
    expect(location).toMatch(/^http:\/\/127\.0\.0\.1:4000\/signed-in\?code=[\w-]{43}$/)
    return new URL(location).searchParams.get('code') ?? ''
  }
  async function exchange(body: object): Promise<[number, string]> {
    const headers = { 'content-type': 'application/json' }
    const answer = await new Browser().request(`${origin}/native/token`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return [answer.status, answer.body]
  }
  const refused = [400, 'Bad Request']

  test('gives a token for code and verifier, once, and leaves the browser signed out', async () => {
    const browser = new Browser()
    const code = await logIn(browser)
    expect(await exchange({ code, verifier: VERIFIER })).toStrictEqual([200, '{"token":"token of 1"}'])
    expect(await exchange({ code, verifier: VERIFIER })).toEqual(refused)
    expect((await browser.follow(`${origin}/me`)).body).toBe('null')
  })

  test.each([{}, { verifier: '' }, { verifier: challenge }, { verifier: 'a guess' }, { verifier: [VERIFIER] }])(
    'gives nothing for the code with %j',
    async (guess) => {
      expect(await exchange({ code: await logIn(), ...guess })).toEqual(refused)
    },
  )

  test('a wrong verifier uses the code up', async () => {
    const code = await logIn()
    expect(await exchange({ code, verifier: 'a guess' })).toEqual(refused)
    expect(await exchange({ code, verifier: VERIFIER })).toEqual(refused)
  })

  test('a code ends after a minute', async () => {
    jest.useFakeTimers({ now: Date.now(), doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] })
    const [one, other] = [await logIn(), await logIn()]
    jest.advanceTimersByTime(59_000)
    expect(await exchange({ code: one, verifier: VERIFIER })).toStrictEqual([200, '{"token":"token of 1"}'])
    jest.advanceTimersByTime(2000)
    expect(await exchange({ code: other, verifier: VERIFIER })).toEqual(refused)
  })

  test.each([
    'https://evil.example/signed-in',
    'https://app.example/signed-in/',
    'https://app.example@evil.example/signed-in',
    'http://app.example/signed-in',
    'http://localhost:4000/signed-in',
    'http://127.0.0.1.evil.example:4000/signed-in',
    'http://127.0.0.1:4000@evil.example/signed-in',
    'http://127.0.0.1:4000/signed-in?x=1',
    'http://127.0.0.1:4000/signed-in\n',
    'app://signed-in',
  ])('sends no code to %j', async (redirect) => {
    expect((await startWith({ challenge, redirect })).status).toBe(400)
  })

  test('the app waits for the code of its own login, whatever code anybody else brings before', async () => {
    const browser = new Browser()
    const token = await nativeApp(origin, (url) => {
      const redirect = new URL(url).searchParams.get('redirect')
      const visit = async (): Promise<void> => {
        expect((await browser.request(`${redirect}?code=${'x'.repeat(43)}`)).status).toBe(400)
        await browser.follow(url)
        const { location } = await browser.comeBack(`${origin}/native/callback?auth_key=${newKey()}`)
        expect((await browser.request(location)).status).toBe(200)
      }
      void visit()
    })
    expect(token).toEqual({ token: 'token of 1' })
  })

  test('takes one address, one challenge, and the https link of the app', async () => {
    const https = 'https://app.example/signed-in'
    expect((await startWith({ challenge, redirect: https })).status).toBe(302)
    expect((await startWith({ redirect: https })).status).toBe(400)
    expect((await startWith({ challenge: 'short', redirect: https })).status).toBe(400)
    const twice = `${new URLSearchParams({ challenge, redirect: https })}&redirect=${REDIRECT}`
    expect((await startWith(twice)).status).toBe(400)
  })

  test('a reload of the callback gives no second code', async () => {
    const browser = new Browser()
    await startWith({ challenge, redirect: REDIRECT }, browser)
    const callback = `${origin}/native/callback?auth_key=${newKey()}`
    await browser.comeBack(callback)
    expect((await browser.comeBack(callback)).location).toBe('/native/failed')
  })
})
