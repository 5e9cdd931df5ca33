import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTLSServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import connect from 'connect'
import express5 from 'express'
import express4 from 'express-4'
import { MemoryStore } from 'express-session'
import { Hono } from 'hono'
import supertest from 'supertest'
import { Strategy } from '../../lib'
import { FakeProvider, signIn } from '../../lib/testing'
import { SocialLogin } from '../../lib/web'
import { keepSessions, newPassport } from '../support/app'
import { makeCertificates } from '../support/certificates'
import { freePort } from '../support/free-port'
import { listen, port } from '../support/listen'

// What developers have in a test, each given to signIn() as it is.

let provider: FakeProvider
let account: { baseURL: string; clientID: string; clientSecret: string }

beforeAll(async () => {
  provider = await FakeProvider.start()
  const { appID, appSecret } = provider.registerApplication({ name: 'App', redirectURL: 'http://localhost:3999/cb' })
  account = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }
})
afterAll(() => provider.stop())

function newApp(express: typeof express5): ReturnType<typeof express5> {
  const app = express()
  const passport = newPassport([new Strategy({ ...account, callbackURL: '/cb' }, async (_a, _r, { id }) => ({ id }))])
  app.use(keepSessions(new MemoryStore()), passport.session())
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/cb', passport.authenticate('social-login'), (req, res) => {
    res.redirect(`/person/${Reflect.get(Object(req.user), 'id')}`)
  })
  return app
}

function newWeb() {
  const login = new SocialLogin({ ...account, callbackURL: 'http://localhost:3999/cb', keys: ['k'.repeat(40)] })
  return async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname === '/auth') return login.start(request, { user: null })
    const result = await login.callback(request, { user: null })
    if (result.type !== 'success') return result.response
    result.headers.append('Set-Cookie', 'person=2; Path=/')
    return result.redirect(`/person/${result.profile.id}`)
  }
}

const options = () => ({ provider, start: '/auth', user: '2' })

test.each([
  ['an application of Express 5', () => newApp(express5)],
  ['an application of Connect', () => connect().use(Object(newApp(express5)))],
  ['a listener', (): RequestListener => listenerOf(newApp(express5))],
  [
    'an async listener',
    (): RequestListener => async (_req, response) =>
      void response.writeHead(302, { location: `${provider.oauthBase}/oauth?app_id=${account.clientID}` }).end(),
  ],
])('%s is served, and stopped', async (_what, make) => {
  const browser = make()
  const signedIn = signIn(Object(browser), options())
  // The last one only starts a login.
  await (_what === 'an async listener'
    ? expect(signedIn).rejects.toThrow('signed no one in')
    : signedIn.then(expectPerson))
})

test('an application of Express 4 is served', async () => {
  const app = express4()
  app.use(Object(newApp(express5)))
  expectPerson(await signIn(Object(app), options()))
})

const listenerOf =
  (app: object): RequestListener =>
  (req, res) =>
    void Reflect.apply(Object(app), undefined, [req, res])

function expectPerson({ location, cookie }: { location: string; cookie: string }): void {
  expect(location).toMatch(/\/person\/2$/)
  expect(cookie).not.toBe('')
}

test('a server that does not listen is started and stopped, and one that listens is left', async () => {
  const server = createServer(newApp(express5))
  const started = jest.spyOn(server, 'listen')
  expectPerson(await signIn(server, options()))
  expect([started.mock.calls, server.listening]).toStrictEqual([[[0, '127.0.0.1']], false])
  await using listening = await listen(newApp(express5))
  expectPerson(await signIn(listening.server, options()))
  expect(listening.server.listening).toBe(true)
  expectPerson(await signIn(listening.origin, options()))
  expectPerson(await signIn(new URL(listening.origin), options()))
})

test('an https server may have a self-signed certificate', async () => {
  expectPerson(await signIn(createTLSServer(makeCertificates().selfSigned, newApp(express5)), options()))
})

test('objects with fetch or request, and a function, are asked', async () => {
  const fetch = newWeb()
  const hono = new Hono().all('*', (c) => fetch(c.req.raw))
  const request = (path: string, init: RequestInit) => fetch(new Request(`http://localhost:3999${path}`, init))
  for (const browser of [{ fetch }, hono, { request: hono.request }, { request }, request])
    expectPerson(await signIn(Object(browser), options()))
})

test('an agent of supertest is asked, and keeps its cookies', async () => {
  await using listening = await listen(newApp(express5))
  const agent = supertest.agent(`http://localhost:${port(listening.server)}`)
  expect((await signIn(agent, options())).location).toMatch(/\/person\/2$/)
})

test.each(['localhost:3000', 'ftp://localhost', new URL('file:///x')])('%p is no origin', async (origin) => {
  await expect(signIn(origin, options())).rejects.toThrow(/^signIn: an origin must be a URL/)
})

test('a function that returns no Response is refused', async () => {
  await expect(Reflect.apply(signIn, undefined, [() => 'text', options()])).rejects.toThrow(/Response was expected/)
})

test('a Request that drops headers, as that of happy-dom does, is named', async () => {
  const { Request: own } = globalThis
  class Dropping extends own {
    override readonly headers = new Headers()
  }
  globalThis.Request = Dropping
  try {
    await expect(signIn({ fetch: newWeb() }, options())).rejects.toThrow('drops Sec-Fetch-Site')
  } finally {
    globalThis.Request = own
  }
})

test('a server that cannot listen, or not at a port, and an origin where nothing listens are reported', async () => {
  const failing = createServer()
  const listen = (): void => void process.nextTick(() => failing.emit('error', new Error('in use')))
  await expect(signIn(Object.assign(failing, { listen: Object(listen) }), options())).rejects.toThrow('in use')
  const folder = mkdtempSync(join(tmpdir(), 'sign-in-'))
  const atPath = createServer().listen(join(folder, 'socket'))
  await once(atPath, 'listening')
  await expect(signIn(atPath, options())).rejects.toThrow(new TypeError('signIn: the server listens on no port'))
  atPath.close()
  await once(atPath, 'close')
  rmSync(folder, { recursive: true })
  await expect(signIn(`http://127.0.0.1:${await freePort()}`, options())).rejects.toThrow(
    /nothing listens at .*: start the application first/,
  )
})
