import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { UsageError } from '../../lib/command-line'
import { type CallbackListener, listenForCallback } from '../../lib/doctor/browser-login'
import { Examination } from '../../lib/doctor/examination'
import { Probe } from '../../lib/doctor/probe'
import { FakeProvider } from '../../lib/testing'
import { approve, diagnose } from '../support/doctor'
import { freePort } from '../support/free-port'

// What the doctor takes for a callback, and how it keeps secrets out of its report.

const PATH = '/cb?auth_key=invented-by-a-page'
const document = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' }
let redirectURL: string
let listener: CallbackListener

beforeEach(async () => {
  redirectURL = `http://127.0.0.1:${await freePort()}/cb`
  listener = await listenForCallback(redirectURL)
})
afterEach(() => listener.close())

function visit(path: string, headers: Record<string, string>, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, redirectURL), { method, headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    sent.on('error', reject).end()
  })
}

const PICTURE = { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' }

test.each<{ title: string; headers: Record<string, string>; method?: string }>([
  { title: 'a picture', headers: PICTURE },
  { title: 'a frame', headers: { ...document, 'sec-fetch-dest': 'iframe' } },
  { title: 'a script', headers: { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', accept: 'text/html' } },
  { title: 'a prefetch', headers: { ...document, 'sec-purpose': 'prefetch' } },
  { title: 'a preload', headers: { ...document, 'sec-fetch-mode': 'no-cors' } },
  { title: 'a picture in an old browser', headers: { accept: 'image/webp,*/*' } },
  { title: 'a script in an old browser', headers: { accept: '*/*' } },
  { title: 'a name that resolves to this machine', headers: { ...document, host: 'rebound.example:1' } },
  { title: 'another name of this machine', headers: { ...document, host: 'localhost' } },
  { title: 'a form', headers: document, method: 'POST' },
])('$title of a website is no callback, though it asks for the address with a key', async ({ headers, method }) => {
  // All that a program looks at that takes it for one.
  expect(new URL(PATH, redirectURL).href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/cb\?auth_key=./)
  expect(await visit(PATH, headers, method)).toBe(404)
  expect(await visit('/cb?auth_key=genuine', document)).toBe(200)
  expect(await listener.callback).toBe(`${redirectURL}?auth_key=genuine`)
})

test.each<[title: string, headers: Record<string, string>]>([
  ['a browser', { ...document, accept: 'text/html,*/*', referer: 'https://social.example/' }],
  ['a browser without Fetch Metadata', { accept: 'text/html,application/xhtml+xml' }],
  ['a program', {}],
])('a navigation of %s is a callback', async (_title, headers) => {
  expect(await visit('/cb?auth_key=genuine', headers)).toBe(200)
  expect([await listener.callback, listener.referer()]).toStrictEqual([
    `${redirectURL}?auth_key=genuine`,
    headers['referer'] ?? '',
  ])
})

test.each([
  [
    'https://accounts.google.example/signin',
    'differs Callback: It came from a page of https://accounts.google.example, which may be any site',
  ],
  ['', undefined],
  ['about:blank', undefined],
  ['OWN', undefined],
])('a callback from a page of %j: whether users sign in at the provider by another site', async (referer, sentence) => {
  const provider = await FakeProvider.start()
  const { appID, appSecret } = provider.registerApplication({ name: 'Mine', redirectURL })
  const driver = {
    logIn: () => approve(provider, { appID }, '1'),
    referer: () => referer.replace('OWN', provider.origin),
    mayExchangeByGet: async () => false,
  }
  const { report } = await diagnose(provider.baseURL, {
    appID,
    login: { appID, appSecret, spendTwice: false, driver },
  })
  await provider.stop()
  if (sentence === undefined) expect(report).not.toContain('It came from')
  else expect(report).toContain(sentence)
})

function read(path: string): Promise<{ headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    request(new URL(path, redirectURL), { agent: false }, async (response) => {
      resolve({ headers: response.headers, body: await text(response) })
    })
      .on('error', reject)
      .end()
  })
}

test('a browser that returns is told that the window can be closed, and any other nothing', async () => {
  expect((await read('/cb')).body).toBe('')
  const { headers, body } = await read('/cb?auth_key=genuine')
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  expect(body).toBe(
    '<!doctype html><html lang="en"><title>Done</title><p>The doctor has received the callback. You can close this page.</p></html>',
  )
})

test('the first callback counts, with its own page', async () => {
  expect([await visit('/cb?auth_key=first', document), listener.referer()]).toStrictEqual([200, ''])
  await visit('/cb?auth_key=second', { ...document, referer: 'https://evil.example/' })
  expect([await listener.callback, listener.referer()]).toStrictEqual([`${redirectURL}?auth_key=first`, ''])
})

test('a connection that a browser has opened in advance is closed in the end', async () => {
  const { hostname, port } = new URL(redirectURL)
  const socket = connect(Number(port), hostname, () => void visit('/', {}).then(() => listener.close()))
  expect(await new Promise((resolve) => socket.once('close', resolve))).toBe(false)
})

test('without a port, the callback is that of the web', async () => {
  const found = await listenForCallback('http://127.0.0.1/cb').catch((error: unknown) => error)
  redirectURL = 'http://127.0.0.1/cb'
  // The doctor reports if this user may not listen there, or if another process does.
  if (found instanceof UsageError) return expect(found.message).toMatch(/^Cannot listen at 127\.0\.0\.1, /)
  expect(await visit('/cb?auth_key=genuine', document)).toBe(200)
  Object(found).close()
})

test.each([
  ['/cb&auth_key=x', 200],
  ['/cb?a=b&amp;auth_key=x', 200],
  ['/cb', 404],
  ['/cb?auth_keys=x', 404],
  ['/other?auth_key=x', 404],
  ['/?/cb&auth_key=x', 404],
])('%s is answered with %d', async (path, status) => {
  expect(await visit(path, document)).toBe(status)
})

const encoded = (text: string): string => text.replace(/./gs, (character) => `%${character.charCodeAt(0).toString(16)}`)
const often = (times: number): string => `%${'25'.repeat(times)}61bcdef`

test.each(
  [
    ['se%41cret', 'se%41cret'],
    ['se%41cret', 'seAcret'],
    ['se%41cret', 'SEaCRET'],
    ['se%2541cret', 'se%41cret'],
    ['se%41cret', 'x%41se%41cret'],
    ['41secret', 'x%41secret'],
    ['secret-1', encoded('secret-1')],
    ['secret-1', encoded(encoded('secret-1'))],
    ['clé-secrète', 'cl%e9-secr%E8te'],
    ['clé-secrète', encodeURIComponent('clé-secrète')],
    ['abcdef', often(19)],
    ['abcdef', often(30_000)],
    ['abcdef', `${'%2%35'.repeat(5000)}61bcdef`],
  ].map(([secret = '', shown = '']) => ({ secret, shown, as: shown.slice(0, 40) })),
)('the secret $secret is not shown as $as', ({ secret, shown }) => {
  const examination = new Examination(new Probe('test', 1000, 'http://localhost'), {
    progress: () => {},
    finding: () => {},
  })
  examination.hide(secret)
  const startedAt = performance.now()
  examination.good('address_good', `It is https://social.example/${shown}/v1.`)
  expect(examination.findings[0]?.message).toBe('The provider repeated a secret, which is left out here.')
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(examination.isHarmless(`https://social.example/a%20b/${encoded('c')}`)).toBe(true)
})
