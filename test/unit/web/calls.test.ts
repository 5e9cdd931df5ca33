import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { SocialLogin } from '../../../lib/web'
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

test('the redirect of a failure has the origin of the application as far as the provider is known', async () => {
  const providers = [{ name: 'chess', ...good }, null]
  const failing = new SocialLogin({
    ...{ keys: options.keys, failureRedirect: '/login' },
    provider: () => providers.shift(),
  })
  const locationOf = async (): Promise<unknown> => {
    const result = await failing.callback(new Request(good.callbackURL), { user: null })
    return result.type === 'success' ? result.type : result.response.headers.get('location')
  }
  expect([await locationOf(), await locationOf()]).toEqual(['https://app.example/login', '/login'])
})

test('the response to the form of a tab has the cookie that tells the next start of it', async () => {
  const bound = new SocialLogin({ ...options, tabBinding: true })
  const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const url = `${good.callbackURL}?auth_key=K&social_login_tab=`
  const result = await bound.callback(new Request(url, { method: 'POST', headers }), { user: null })
  if (result.type !== 'failure') throw new Error(result.type)
  expect([result.code, result.response.headers.getSetCookie()]).toEqual([
    'login_not_started',
    [
      expect.stringMatching(
        /^__Host-social-login-tab=[\w-]{22}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ],
  ])
})
