import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { SocialLogin, SocialLoginError } from '../../../lib/web'
import { rejectionOf } from '../../support/leak-check'
import { good } from '../../support/options'

const options = { ...good, keys: ['k'.repeat(32)] }
const login = new SocialLogin(options)
const request = new Request('https://app.example/auth')
const METHODS = ['start', 'callback', 'pendingLogin'] as const

/** Calls a method as plain JavaScript can, without type checks. */
const call = (method: (typeof METHODS)[number], ...args: unknown[]): Promise<unknown> =>
  Reflect.apply(login[method], login, args)

describe.each(METHODS)('%s() rejects with a TypeError', (method) => {
  const expectRefused = async (message: string, ...args: unknown[]): Promise<void> => {
    const error = await rejectionOf(call(method, ...args))
    expect(error).toBeInstanceOf(TypeError)
    expect(error).toEqual(new TypeError(message))
  }

  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['ada', 'a string'],
    [['ada'], 'an array'],
    [Promise.resolve({ user: 'ada' }), 'a promise (await it first)'],
    [{}, 'an object'],
    [{ returnTo: '/' }, 'an object'],
  ])('for the options %j, which do not say who is signed in', async (options, type) => {
    const sentence = 'options needs user, the id of the signed-in user or null; it is'
    await expectRefused(`${method}: ${sentence} ${type}`, request, options)
  })

  const ids = 'a string, a finite number or a bigint, or null for nobody'

  test.each([
    [true, `: ${ids}, not of the type boolean`],
    [{}, `: ${ids}, not of the type object`],
    [Number.NaN, `: ${ids}, not of the type number`],
    [Number.POSITIVE_INFINITY, `: ${ids}, not of the type number`],
    [Symbol('ada'), `: ${ids}, not of the type symbol`],
    [['ada'], `: ${ids}, not of the type object`],
    [Promise.resolve('ada'), ', not a promise: await it first'],
  ])('for %p as the user, saying what came', async (user, kind) => {
    await expectRefused(`user must be the id of the signed-in user${kind}`, request, { user })
  })

  const ofStart = method === 'start'
  test.each<[string, string]>([
    ['returnto', ofStart ? ': did you mean returnTo?' : ''],
    ['callbackUrl', ': did you mean callbackURL?'],
    ['scope', ''],
    ...(ofStart ? [] : ['returnTo', 'state'].map((name): [string, string] => [name, ''])),
  ])('for the option %s, which does not exist', async (name, cure) => {
    await expectRefused(`${name} is not an option of ${method}()${cure}`, request, { user: null, [name]: '/' })
  })

  test.each([
    ['a request of node:http', new IncomingMessage(new Socket()), 'an instance of a class'],
    ['a URL', 'https://app.example/auth', 'a string'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['an object with a URL alone', { url: good.callbackURL }, 'an object'],
    ['an object with a URL and plain headers', { url: good.callbackURL, headers: {} }, 'an object'],
    ['an object with headers alone', { headers: new Headers() }, 'an object'],
  ])('for %s instead of a Request', async (_title, given, type) => {
    const sentence = 'request must be a Request of the Fetch standard (in Hono: c.req.raw), not'
    await expectRefused(`${method}: ${sentence} ${type}`, given, { user: null })
  })
})

test.each([undefined, null, '', false, 'ada', 0, -1.5, 7n])(
  'nobody, or somebody with an id, may be %p',
  async (user) => {
    for (const method of METHODS) await expect(call(method, request, { user })).resolves.not.toThrow()
  },
)

test('a callback that leads a signed-in user on is kept by no cache, and its address goes to no other site', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const repeated = new Request(`${good.callbackURL}?auth_key=spent`, { headers })
  const leading = new SocialLogin({ ...options, successRedirect: '/home' })
  const result = await leading.callback(repeated, { user: 'ada' })
  if (result.type !== 'response') throw new Error(`it was ${result.type}`)
  const { status, headers: own } = result.response
  expect([status, own.get('cache-control'), own.get('referrer-policy')]).toEqual([302, 'no-store', 'no-referrer'])
})

test('the answer to the form of a tab sets a cookie for it', async () => {
  const bound = new SocialLogin({ ...options, tabBinding: true })
  const result = await bound.callback(new Request(good.callbackURL, { method: 'POST' }), { user: null })
  if (result.type === 'success') throw new Error('it succeeded')
  const cookie = /^__Host-social-login-tab=[\w-]{22}; Max-Age=10; Path=\/; HttpOnly; SameSite=Lax; Secure$/
  expect(result.response.headers.getSetCookie()).toEqual([expect.stringMatching(cookie)])
})

test('where nobody knows the provider of a request, its failure leads to a path, whatever was known before', async () => {
  const provider = async (req: Request): Promise<typeof found> => {
    if (req.url.endsWith('?wrong')) throw new SocialLoginError('auth_key_rejected', 'start')
    return found
  }
  const found = { name: 'chess', ...good }
  const many = new SocialLogin({ keys: options.keys, failureRedirect: '/failed', provider })
  const statusAndTarget = async (query: string): Promise<unknown[]> => {
    const { status, headers } = await many.start(new Request(`https://app.example/auth${query}`), { user: null })
    return [status, headers.get('location')]
  }
  expect([await statusAndTarget(''), await statusAndTarget('?wrong')]).toEqual([
    [200, null],
    [302, '/failed'],
  ])
})
