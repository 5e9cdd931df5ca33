import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { SocialLogin, SocialLoginError } from '../../../lib/web'
import { good } from '../../support/options'

const options = { ...good, keys: ['k'.repeat(32)] }
const login = new SocialLogin(options)
const request = new Request('https://app.example/auth')
const METHODS = ['start', 'callback', 'pendingLogin'] as const

/** Calls a method as plain JavaScript can, without type checks. */
const call = (method: (typeof METHODS)[number], ...args: unknown[]): Promise<unknown> =>
  Reflect.apply(login[method], login, args)

describe.each(METHODS)('%s() rejects with a TypeError', (method) => {
  test.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['ada', 'a string'],
    [{}, 'an object'],
    [{ returnTo: '/' }, 'an object'],
  ])('for the options %j, which do not say who is signed in', async (options, type) => {
    const message = `${method}: options needs user, the id of the signed-in user or null; it is ${type}`
    await expect(call(method, request, options)).rejects.toThrow(new TypeError(message))
  })

  test.each([
    [true, 'of the type boolean'],
    [{}, 'of the type object'],
    [Number.NaN, 'of the type number'],
    [Symbol('ada'), 'of the type symbol'],
    [['ada'], 'of the type object'],
    [Promise.resolve('ada'), 'a promise: await it first'],
  ])('for %p as the user, saying what came: %s', async (user, kind) => {
    const rejected = expect(call(method, request, { user })).rejects
    await rejected.toThrow(/^user must be the id/)
    await rejected.toThrow(`not ${kind}`)
  })

  test('for an option that does not exist', async () => {
    await expect(call(method, request, { user: null, returnto: '/' })).rejects.toThrow(
      `returnto is not an option of ${method}()`,
    )
  })

  test.each([
    ['a request of node:http', new IncomingMessage(new Socket()), 'an instance of a class'],
    ['a URL', 'https://app.example/auth', 'a string'],
    ['nothing', undefined, 'undefined'],
  ])('for %s instead of a Request', async (_title, given, type) => {
    const rejected = expect(call(method, given, { user: null })).rejects
    await rejected.toThrow(
      `${method}: request must be a Request of the Fetch standard (in Hono: c.req.raw), not ${type}`,
    )
    await rejected.toBeInstanceOf(TypeError)
  })
})

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
