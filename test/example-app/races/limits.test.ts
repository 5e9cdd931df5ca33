import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import express from 'express'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { request } from 'undici'
import { type Application, type FakeProvider, providerNavigation } from '../../../lib/testing'
import { Browser } from '../../support/browser'
import { onBothStorages, type TestStorage } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'
import type { Visitor } from '../../support/example/visitor'
import { listen } from '../../support/listen'

const HERE = '203.0.113.7'
const REJECTED = '/login?reason=auth_key_rejected'
const TOO_MANY = '/login?reason=too_many_rejected'
const BUSY = '/login?reason=overloaded'
/** What browsers send with a page that they load although no one may ever open it. */
const SPECULATIVE = [
  ['sec-purpose', 'prefetch'],
  ['purpose', 'prefetch'],
  ['x-purpose', 'preview'],
  ['x-moz', 'prefetch'],
  ['service-worker-navigation-preload', 'true'],
] as const

onBothStorages('guesses at the example', (fresh) => {
  const examples = useExamples('each test')
  const { exchanges } = examples
  let storage: TestStorage

  const start = async (): Promise<string> => (await examples.start(storage.environment)).appURL
  const at = (address: string, userID = '1'): Visitor => examples.visitor(userID, { 'x-forwarded-for': address })
  const guess = async (visitor: Visitor, appURL: string): Promise<string> => {
    await visitor.begin(appURL)
    return (await visitor.comeBack(appURL, 'a-guess')).location
  }
  beforeEach(async () => {
    storage = await fresh()
  })

  test('sent together pass a limiter that counts afterwards; of 100, ten pass this one', async () => {
    expect(await guessesThatPassANaiveLimiter(examples.provider, examples.application)).toBeGreaterThan(10)
    examples.provider.clearRequests()

    const appURL = await start()
    const guessers = Array.from({ length: 100 }, () => at(HERE))
    await Promise.all(guessers.map((guesser) => guesser.begin(appURL)))
    // Slow enough that none has returned before the last has been sent.
    examples.provider.failNext('authorize', { delay: 1000, rewrite: (body) => body }, { times: 100 })
    const answers = await Promise.all(guessers.map((guesser) => guesser.comeBack(appURL, 'a-guess')))
    examples.provider.clearFaults()
    const counts = new Map<string, number>()
    for (const { location } of answers) counts.set(location, (counts.get(location) ?? 0) + 1)
    expect(Object.fromEntries(counts)).toEqual({ [REJECTED]: 10, [TOO_MANY]: 90 })
    expect(exchanges()).toBe(10)
    expect(await guess(at(HERE), appURL)).toBe(TOO_MANY)
    expect(exchanges()).toBe(10)
  })

  test('that were rejected lock out no one at another address, however the proxy writes it', async () => {
    const appURL = await start()
    for (let count = 0; count < 10; count++) await guess(at(HERE), appURL)
    for (const same of [HERE, `::ffff:${HERE}`, `${HERE}:5678`, `[::ffff:${HERE}]:99`]) {
      expect([same, await guess(at(same), appURL)]).toStrictEqual([same, TOO_MANY])
    }
    for (const other of ['203.0.113.8', '::ffff:203.0.113.9', '2001:db8::1', '203.0.113.10:5678']) {
      expect([other, await at(other).signIn(appURL)]).toStrictEqual([other, '/profile'])
    }
    for (let count = 0; count < 10; count++) await guess(at(`2001:db8:0:7::${count}`), appURL)
    expect(await guess(at('2001:db8:0:7:ffff::'), appURL)).toBe(TOO_MANY)
    expect(await at('2001:db8:0:107::1').signIn(appURL)).toBe('/profile')
  })

  test('from behind a proxy that sends no addresses do not stop the program, and count for the proxy', async () => {
    const appURL = await start()
    for (const address of ['unknown', '_hidden', '1.2.3.4.5.6', '[::1', "'", ':80', '%00', 'a'.repeat(5000)]) {
      expect([address, await guess(at(address), appURL)]).toStrictEqual([address, REJECTED])
    }
    await guess(at('unknown'), appURL)
    await guess(at('unknown'), appURL)
    expect(await guess(at('unknown'), appURL)).toBe(TOO_MANY)
    expect(await at(HERE).signIn(appURL)).toBe('/profile')
  })

  test('callbacks that hang in an outage hold others up for a moment only, whether or not their users wait', async () => {
    const appURL = await start()
    const hung = Array.from({ length: 10 }, () => at(HERE))
    const next = at(HERE)
    await Promise.all([...hung, next].map((visitor) => visitor.begin(appURL)))
    examples.provider.failNext('authorize', { status: 503, delay: 8000 }, { times: 10 })
    const waiting = hung.slice(0, 5).map((visitor) => visitor.comeBack(appURL))
    const areAllThere = (): boolean => exchanges() === 10
    await Promise.all(hung.slice(5).map((visitor) => leaveEarly(visitor, appURL, areAllThere)))

    const refused = await next.comeBack(appURL)
    expect([refused.location, refused.headers['retry-after']]).toStrictEqual([BUSY, '1'])
    // Closing a connection early does not free its slot: the provider still checks those guesses.
    expect(exchanges()).toBe(10)
    const page = await next.browser.follow(`${appURL}${refused.location}`)
    expect(page.body).toContain('Please try again in a minute.')
    expect((await at('203.0.113.8').begin(appURL)).status).toBe(302)

    for (const { location } of await Promise.all(waiting)) expect(location).toBe('/login?reason=provider_unavailable')
    expect((await next.comeBack(appURL)).location).toBe('/login/confirm')
    for (let count = 0; count < 15; count++) expect(await at(HERE, '2').signIn(appURL)).toBe('/profile')
  })

  test('nothing but a rejected key is counted: not a reload, a prefetch, nor an answer after the visitor left', async () => {
    const appURL = await start()
    const ada = at(HERE)
    await ada.signIn(appURL)
    for (let count = 0; count < 15; count++) {
      expect((await ada.comeBack(appURL, 'spent')).location).toBe('/account?notice=login_not_started')
      expect((await at(HERE).comeBack(appURL)).location).toBe('/login?reason=login_not_started')
      for (const [name, value] of SPECULATIVE) {
        const prefetch = { headers: { [name]: value } }
        const callback = `${appURL}/auth/social-login/callback?auth_key=x`
        expect([name, (await ada.browser.comeBack(callback, prefetch)).status]).toStrictEqual([name, 503])
      }
    }
    expect(await storage.rows('select key from rate_limits')).toStrictEqual([])
  })

  test('prefetches whose visitors leave before they are answered are never under way, and keep no process alive', async () => {
    const { appURL, stop } = await examples.start(storage.environment)
    const visitor = at(HERE)
    await visitor.begin(appURL)
    examples.provider.failNext('authorize', { delay: 1000, rewrite: (body) => body })
    const head = `Host: localhost\r\nX-Forwarded-For: ${HERE}\r\nCookie: ${await visitor.browser.cookies(appURL)}\r\n`
    const navigation = Object.entries(providerNavigation).map(([name, value]) => `${name}: ${value}\r\n`)
    const callback = '/auth/social-login/callback'
    const first = `GET ${callback}?auth_key=a-guess HTTP/1.1\r\n${head}${navigation.join('')}\r\n`
    const prefetches = ['Sec-Purpose: prefetch', 'Purpose: prefetch', 'X-Moz: prefetch'].map(
      (purpose) => `GET ${callback}?auth_key=x HTTP/1.1\r\n${head}${purpose}\r\n\r\n`,
    )
    const socket = connect(Number(new URL(appURL).port), '127.0.0.1')
    socket.write(first + prefetches.join('').repeat(3))
    while (exchanges() < 1) await delay(10)
    socket.resetAndDestroy()
    await delay(1500)
    expect(await Promise.all(Array.from({ length: 10 }, () => at(HERE).signIn(appURL)))).toEqual(
      Array(10).fill('/profile'),
    )
    expect(await at(HERE).signIn(appURL)).toBe('/profile')
    expect(await stop('SIGTERM')).toBe(0)
  })
})

/** Looks first and counts afterwards, as limiters are often put together. @returns how many reached the provider */
async function guessesThatPassANaiveLimiter(provider: FakeProvider, application: Application): Promise<number> {
  provider.failNext('authorize', { delay: 500, rewrite: (body) => body }, { times: 100 })
  const rejected = new RateLimiterMemory({ points: 10, duration: 600 })
  const app = express()
  app.get('/callback', async (req, res) => {
    const state = await rejected.get('the address')
    if (state && state.consumedPoints >= 10) return void res.sendStatus(429)
    const { appID, appSecret } = application
    const body = new URLSearchParams({ app_id: appID, app_secret: appSecret, auth_key: String(req.query['auth_key']) })
    await fetch(`${provider.oauthBase}/authorize`, { method: 'POST', body })
    await rejected.penalty('the address')
    res.sendStatus(401)
  })
  await using server = await listen(app)
  const url = `${server.origin}/callback?auth_key=a-guess`
  await Promise.all(Array.from({ length: 100 }, () => new Browser().request(url)))
  return provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length
}

/** Sends a callback and closes the connection before it is answered. */
async function leaveEarly(visitor: Visitor, appURL: string, mayLeave: () => boolean): Promise<void> {
  const leaving = new AbortController()
  const cookie = await visitor.browser.cookies(appURL)
  const answer = request(`${appURL}/auth/social-login/callback?auth_key=${visitor.newKey()}`, {
    headers: { ...providerNavigation, cookie, 'x-forwarded-for': HERE },
    signal: leaving.signal,
  }).catch(() => undefined)
  while (!mayLeave()) await new Promise((resolve) => setImmediate(resolve))
  leaving.abort()
  await answer
}
