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

describe.each(METHODS)('%s() rejects with a TypeError that names what is wrong', (method) => {
  const expectRefused = async (name: RegExp, ...args: unknown[]): Promise<void> => {
    const error = await rejectionOf(call(method, ...args))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(name)
  }

  test.each([undefined, null, 'ada', ['ada'], Promise.resolve({ user: 'ada' }), {}, { returnTo: '/' }])(
    'for the options %j, which do not say who is signed in',
    (options) => expectRefused(/: options needs user, /, request, options),
  )

  const promise = Promise.resolve('ada')
  test.each([true, {}, Number.NaN, Number.POSITIVE_INFINITY, Symbol('ada'), ['ada'], promise])(
    'for %p as the user',
    (user) => expectRefused(/: user must be the id of the signed-in user/, request, { user }),
  )

  const ofStart = method === 'start'
  test.each<[string, string]>([
    ['returnto', ofStart ? ': did you mean returnTo?' : ''],
    ['callbackUrl', ': did you mean callbackURL?'],
    ['scope', ''],
    ...(ofStart ? [] : ['returnTo', 'state'].map((name): [string, string] => [name, ''])),
  ])('for the option %s, which does not exist', (name, cure) => {
    const says = new RegExp(`: ${name} is not an option of ${method}\\(\\)${cure.replace('?', '.')}$`)
    return expectRefused(says, request, { user: null, [name]: '/' })
  })

  test.each([
    ['a request of node:http', new IncomingMessage(new Socket())],
    ['a URL', 'https://app.example/auth'],
    ['nothing', undefined],
    ['null', null],
    ['an object with a URL alone', { url: good.callbackURL }],
    ['an object with a URL and plain headers', { url: good.callbackURL, headers: {} }],
    ['an object with headers alone', { headers: new Headers() }],
  ])('for %s instead of a Request', (_title, given) =>
    expectRefused(/: request must be a Request of the Fetch standard/, given, { user: null }),
  )
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
  expect([await locationOf(), await locationOf()]).toStrictEqual(['https://app.example/login', '/login'])
})

test('the response to the form of a tab has the cookie that tells the next start of it', async () => {
  const bound = new SocialLogin({ ...options, tabBinding: true })
  const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  const url = `${good.callbackURL}?auth_key=K&social_login_tab=`
  const result = await bound.callback(new Request(url, { method: 'POST', headers }), { user: null })
  if (result.type !== 'failure') throw new Error(result.type)
  expect([result.code, result.response.headers.getSetCookie()]).toStrictEqual([
    'login_not_started',
    [
      expect.stringMatching(
        /^__Host-social-login-tab=[\w-]{22}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ],
  ])
})
