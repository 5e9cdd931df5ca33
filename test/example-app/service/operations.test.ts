import { networkInterfaces } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Browser } from '../../support/browser'
import { runExample } from '../../support/example/example-app'
import { useExamples } from '../../support/example/use-examples'
import { listen, port } from '../../support/listen'

describe('running the example', () => {
  const examples = useExamples('each test')

  test('starts no fake provider beside a real one, and keeps users signed in over restarts', async () => {
    const ada = examples.visitor()
    const first = await examples.start()
    expect(first.output()).not.toContain('Fake provider')
    await ada.signIn(first.appURL)
    const before = await ada.whoAmI(first.appURL)
    await first.stop('SIGKILL')
    const second = await examples.start()
    expect(await ada.whoAmI(second.appURL)).toEqual(before)
  })

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    'on %s says so to balancers, finishes the login under way, and ends with 0',
    async (signal) => {
      const ada = examples.visitor()
      const example = await examples.start()
      const health = (): Promise<number> =>
        new Browser().request(`${example.appURL}/healthz`).then(({ status }) => status)
      expect(await health()).toBe(200)
      await ada.begin(example.appURL)
      examples.provider.failNext('authorize', { status: 200, delay: 2500, rewrite: (body) => body })
      const back = ada.comeBack(example.appURL)
      await delay(300)
      const ended = example.stop(signal)
      await delay(300)
      expect(await health()).toBe(503)
      expect(await back).toMatchObject({ location: '/login/confirm', headers: { connection: 'close' } })
      expect(await ended).toBe(0)
    },
  )

  test('sends headers that keep pages to themselves, and the id of each request', async () => {
    const example = await examples.start()
    const ada = examples.visitor()
    const page = await ada.browser.follow(`${example.appURL}/login`)
    // The hash of the one style and the one script that are part of pages.
    expect(String(page.headers['content-security-policy']).replace(/'sha256-[\w+/]{43}='/g, 'HASH')).toBe(
      `default-src 'none';style-src 'self' HASH;script-src 'self' HASH;img-src 'self' ${examples.provider.origin};form-action 'self' ${examples.provider.origin};base-uri 'none';frame-ancestors 'none'`,
    )
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers['set-cookie']).toBeUndefined()
    const { headers } = await ada.submit(`${example.appURL}/nowhere`)
    expect(headers['x-request-id']).toMatch(/^[\w-]{36}$/)
    const proxied = { 'x-request-id': 'from-the-balancer' }
    const named = await new Browser().follow(`${example.appURL}/auth/social-login`, { headers: proxied })
    expect(named.headers['x-request-id']).toBe('from-the-balancer')
    // The line follows the answer: an immediate kill would lose it.
    while (!example.output().includes('"id":"from-the-balancer"')) await delay(10)
  })

  test('answers pages that are not there in words or in JSON', async () => {
    const example = await examples.start()
    const browser = new Browser()
    const page = await browser.request(`${example.appURL}/nowhere`)
    expect([page.status, page.body.includes('This page does not exist.')]).toStrictEqual([404, true])
    const json = await browser.request(`${example.appURL}/nowhere`, { headers: { accept: 'application/json' } })
    expect(JSON.parse(json.body)).toEqual({ error: 'This page does not exist.', requestID: expect.any(String) })
  })

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
    const everywhere = await examples.start({ HOST: '::' })
    const reachable = (host: string): Promise<boolean> => isServed(everywhere.appURL.replace('localhost', host))
    expect(await Promise.all(['localhost', ...outside].map(reachable))).not.toContain(false)
    await everywhere.stop('SIGKILL')

    const example = await examples.start()
    expect(example.appURL).toMatch(/^http:\/\/localhost:\d+$/)
    const here = (host: string): Promise<boolean> => isServed(example.appURL.replace('localhost', host))
    expect(await Promise.all(['localhost', '127.0.0.1', '[::1]'].map(here))).toStrictEqual([true, true, true])
    expect(await Promise.all(outside.map(here))).not.toContain(true)
    await example.stop('SIGKILL')

    const v6 = await examples.start({ HOST: '::1' })
    expect(v6.appURL).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect(await isServed(v6.appURL)).toBe(true)
  })

  test('says which port is taken', async () => {
    await using other = await listen()
    const taken = String(port(other.server))
    const { code, output } = await runExample({ ...examples.environment, PORT: taken })
    expect(code).toBe(1)
    expect(output).toContain(
      `  - PORT cannot be used: port ${taken} is taken: choose another one, or 0 for a free one.\n`,
    )
    const fake = await runExample({ DATA_DIR: '/nowhere', PROVIDER_PORT: taken })
    expect([fake.code, fake.output]).toStrictEqual([
      1,
      expect.stringContaining(`  - PROVIDER_PORT cannot be used: port ${taken} is`),
    ])
    const first = String(Number(taken) - 100)
    const second = await runExample({ DATA_DIR: '/nowhere', PROVIDER_PORT: first })
    expect(second.output).toContain(`  - PROVIDER2_PORT cannot be used: port ${taken} is`)
  })
})
