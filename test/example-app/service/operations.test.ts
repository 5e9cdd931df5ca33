import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Application, FakeProvider } from '../../../lib/testing'
import { port, stopServer } from '../../support/app'
import { Browser, closeBrowsers } from '../../support/browser'
import { runExample, startExample, temporaryFolder } from '../../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../../support/example/visitor'

describe('running the example', () => {
  const folder = temporaryFolder()
  let provider: FakeProvider
  let application: Application
  let environment: Record<string, string>

  beforeAll(async () => {
    provider = await FakeProvider.start()
    application = registerExample(provider)
    environment = { DATA_DIR: folder.path, ...providerEnvironment(provider, application) }
  })

  afterAll(async () => {
    await provider.stop()
    await closeBrowsers()
    folder.remove()
  })

  test('starts no fake provider beside a real one, and keeps people signed in over restarts', async () => {
    const ada = new Visitor(provider, application, '1')
    const first = await startExample(environment)
    expect(first.output()).not.toContain('Fake provider')
    await ada.signIn(first.appURL)
    const before = await ada.whoAmI(first.appURL)
    await first.stop('SIGKILL')
    const second = await startExample(environment)
    expect(await ada.whoAmI(second.appURL)).toEqual(before)
    await second.stop('SIGKILL')
    const secret = join(folder.path, 'session-secret')
    expect([readFileSync(secret, 'utf8').length, statSync(secret).mode & 0o777]).toEqual([43, 0o600])
  }, 20_000)

  test('takes a new session secret without signing anybody out, as long as the old one stands behind it', async () => {
    const ada = new Visitor(provider, application, '1')
    const secrets = ['the first of the secrets', 'the second of the secrets']
    const first = await startExample({ ...environment, SESSION_SECRET: secrets[0] ?? '' })
    await ada.signIn(first.appURL)
    await first.stop('SIGKILL')
    const second = await startExample({ ...environment, SESSION_SECRET: `${secrets[1]},${secrets[0]}` })
    expect((await ada.whoAmI(second.appURL))?.['id']).toBe('1')
    const reloaded = await ada.submit(`${second.appURL}/profile/reload`)
    expect(reloaded.location).toBe('/profile?notice=reloaded')
    await second.stop('SIGKILL')
    const third = await startExample({ ...environment, SESSION_SECRET: secrets[1] ?? '' })
    expect(await ada.whoAmI(third.appURL)).toBeUndefined()
    await third.stop('SIGKILL')
  }, 20_000)

  test('on SIGTERM says so to balancers, finishes the login under way, and ends with 0', async () => {
    const ada = new Visitor(provider, application, '1')
    const example = await startExample(environment)
    const health = (): Promise<number> =>
      new Browser().request(`${example.appURL}/healthz`).then(({ status }) => status)
    expect(await health()).toBe(200)
    await ada.begin(example.appURL)
    provider.failNext('authorize', { status: 200, delay: 2500, rewrite: (body) => body })
    const back = ada.comeBack(example.appURL)
    await new Promise((resolve) => setTimeout(resolve, 300))
    const ended = example.stop('SIGTERM')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(await health()).toBe(503)
    expect(await back).toMatchObject({ location: '/login/confirm', headers: { connection: 'close' } })
    expect(await ended).toBe(0)
  }, 20_000)

  test('sends headers that keep pages to themselves, and cookies that scripts and other sites do not get', async () => {
    const example = await startExample(environment)
    const ada = new Visitor(provider, application, '1')
    const page = await ada.browser.follow(`${example.appURL}/login`)
    // The hash of the one style and the one script that are part of pages.
    expect(String(page.headers['content-security-policy']).replace(/'sha256-[\w+/]{43}='/g, 'HASH')).toBe(
      `default-src 'none';style-src 'self' HASH;script-src 'self' HASH;img-src 'self' ${provider.origin};form-action 'self' ${provider.origin};base-uri 'none';frame-ancestors 'none'`,
    )
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers['set-cookie']).toBeUndefined()
    const start = await ada.begin(example.appURL)
    expect(String(start.headers['set-cookie'])).toMatch(
      /^example-login=\S+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    const { headers } = await ada.submit(`${example.appURL}/nowhere`)
    expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/)
    const proxied = { 'x-request-id': 'from-the-balancer' }
    const named = await new Browser().follow(`${example.appURL}/auth/social-login`, { headers: proxied })
    expect(named.headers['x-request-id']).toBe('from-the-balancer')
    // The line follows the answer: a kill at once would cut it off.
    while (!example.output().includes('"id":"from-the-balancer"')) await delay(10)
    await example.stop('SIGKILL')
  }, 20_000)

  test('answers pages that are not there, and forms that are no forms, in words or in JSON', async () => {
    const example = await startExample(environment)
    const browser = new Browser()
    const page = await browser.request(`${example.appURL}/nowhere`)
    expect([page.status, page.body.includes('This page does not exist.')]).toEqual([404, true])
    const json = await browser.request(`${example.appURL}/nowhere`, { headers: { accept: 'application/json' } })
    expect(JSON.parse(json.body)).toEqual({ error: 'This page does not exist.', requestID: expect.any(String) })
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const huge = await browser.request(`${example.appURL}/logout`, {
      method: 'POST',
      headers: form,
      body: 'x'.repeat(20_000),
    })
    expect(huge.status).toBe(413)
    await example.stop('SIGKILL')
  }, 20_000)

  test('listens on this machine alone, in IPv4 and IPv6, unless HOST says otherwise', async () => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address !== undefined && !address.internal && address.scopeid === 0)
      .map((address) => (address?.family === 'IPv6' ? `[${address.address}]` : (address?.address ?? '')))
    const isServed = (origin: string): Promise<boolean> =>
      new Browser().request(`${origin}/healthz`).then(
        ({ status }) => status === 200,
        () => false,
      )
    const everywhere = await startExample({ ...environment, HOST: '::' })
    const reachable = (host: string): Promise<boolean> => isServed(everywhere.appURL.replace('localhost', host))
    expect(await Promise.all(['localhost', ...outside].map(reachable))).not.toContain(false)
    await everywhere.stop('SIGKILL')

    const example = await startExample(environment)
    expect(example.appURL).toMatch(/^http:\/\/localhost:\d+$/)
    const here = (host: string): Promise<boolean> => isServed(example.appURL.replace('localhost', host))
    expect(await Promise.all(['localhost', '127.0.0.1', '[::1]'].map(here))).toEqual([true, true, true])
    expect(await Promise.all(outside.map(here))).not.toContain(true)
    await example.stop('SIGKILL')

    const v6 = await startExample({ ...environment, HOST: '::1' })
    expect(v6.appURL).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect(await isServed(v6.appURL)).toBe(true)
    await v6.stop('SIGKILL')
  }, 20_000)

  test('says which port is taken', async () => {
    const other = createServer().listen(0)
    await once(other, 'listening')
    const taken = String(port(other))
    const { code, output } = await runExample({ PORT: taken, PROVIDER_PORT: '0', DATA_DIR: folder.path })
    await stopServer(other)
    expect(code).toBe(1)
    expect(output).toContain(
      `  - PORT cannot be used: port ${taken} is taken: choose another one, or 0 for a free one.\n`,
    )
  })
})
