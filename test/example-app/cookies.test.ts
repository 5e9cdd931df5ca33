import cookieParser from 'cookie-parser'
import express from 'express'
import { FakeProvider } from '../../lib/testing'
import { Browser, closeBrowsers } from '../support/browser'
import { startExample, temporaryFolder } from '../support/example/example-app'
import { providerEnvironment, registerExample, Visitor } from '../support/example/visitor'
import { listen } from '../support/listen'
import { ExampleProcess } from '../support/outages/example-process'
import { cpuMs } from '../support/outages/process-usage'

const REQUESTS = 50
const SECRETS = Array.from({ length: 5 }, (_, count) => String(count).repeat(32))
/** Almost as many as the 16 KB that Node.js reads of a request's headers. */
const SIGNED = Array.from({ length: 2000 }, (_, count) => `${count.toString(36)}=s:.`).join(';')
const PLAIN = SIGNED.replaceAll('s:.', 'xx.')

afterAll(() => closeBrowsers())

describe('thousands of cookies that look signed', () => {
  /** How many times the CPU of plain cookies they cost. */
  const costAt = async (url: string, used: () => number): Promise<number> => {
    const browser = new Browser()
    const ask = async (cookie: string): Promise<number> => {
      const before = used()
      for (let count = 0; count < REQUESTS; count++) {
        expect((await browser.request(url, { headers: { cookie } })).status).toBe(200)
      }
      return used() - before
    }
    await ask(PLAIN)
    const plain = await ask(PLAIN)
    return (await ask(SIGNED)) / Math.max(plain, 1)
  }

  test('cost an application that verifies all cookies many times the CPU of others, and the example no more', async () => {
    const naive = express().use(cookieParser(SECRETS))
    naive.get('/login', (_req, res) => void res.send('Sign in'))
    await using listening = await listen(naive)
    // The client of this test uses the same process, and thereby makes the difference look smaller.
    expect(await costAt(`${listening.origin}/login`, () => cpuMs(process.pid))).toBeGreaterThan(3)

    const folder = temporaryFolder()
    const environment = { DATA_DIR: folder.path, PROVIDER_PORT: '0', SESSION_SECRET: SECRETS.join(',') }
    const example = await ExampleProcess.start(environment)
    expect(await costAt(`http://localhost:${example.port}/login`, () => example.cpuMs)).toBeLessThan(5)
    await example.kill()
    folder.remove()
  }, 40_000)
})

test('a list of confirmed logins is believed with the signature of the example alone', async () => {
  const folder = temporaryFolder()
  const provider = await FakeProvider.start()
  const application = registerExample(provider)
  const example = await startExample({ DATA_DIR: folder.path, ...providerEnvironment(provider, application) })
  const NAME = 'example-known-logins'
  const ada = new Visitor(provider, application, '1')
  await ada.signIn(example.appURL)
  const [, signed = ''] = new RegExp(`${NAME}=([^;]+)`).exec(await ada.browser.cookies(example.appURL)) ?? []
  const [, id = ''] = /^s%3A([\w-]+)\./.exec(signed) ?? []
  const leadsTo = async (cookie: string): Promise<string> => {
    const visitor = new Visitor(provider, application, '1')
    await visitor.begin(example.appURL)
    const headers = { cookie: `${await visitor.browser.cookies(example.appURL)}; ${NAME}=${cookie}` }
    const callback = `${example.appURL}/auth/social-login/callback?auth_key=${visitor.newKey()}`
    return (await visitor.browser.comeBack(callback, { headers })).location
  }
  expect(id).toMatch(/^[\da-f-]{36}$/)
  expect(await leadsTo(signed)).toBe('/profile')
  const forged = [
    id,
    `s%3A${id}`,
    `s%3A${id}.`,
    `s%3A${id}.${'A'.repeat(43)}`,
    `j%3A["${id}"]`,
    signed.replace('s%3A', ''),
  ]
  for (const cookie of forged) expect([cookie, await leadsTo(cookie)]).toEqual([cookie, '/login/confirm'])
  await example.stop('SIGKILL')
  await provider.stop()
  folder.remove()
}, 20_000)
