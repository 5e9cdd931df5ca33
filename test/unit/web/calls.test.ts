import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { SocialLogin } from '../../../lib/web'
import { good } from '../../support/options'

const options = { ...good, keys: ['k'.repeat(32)] }
const login = new SocialLogin(options)
const request = new Request('https://app.example/auth')
const METHODS = ['start', 'callback', 'pendingLogin'] as const

/** Calls a method as plain JavaScript can, without type checks. */
const call = (method: (typeof METHODS)[number], ...args: unknown[]): Promise<unknown> =>
  Reflect.apply(login[method], login, args)

describe.each(METHODS)('%s() rejects with a TypeError', (method) => {
  test.each([[undefined], [null], ['ada'], [{}], [{ returnTo: '/' }]])(
    'for the options %j, which do not say who is signed in',
    async (options) => {
      const sentence = `${method}: options needs user, the id of the signed-in user or null; it is `
      await expect(call(method, request, options)).rejects.toThrow(sentence)
    },
  )

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
