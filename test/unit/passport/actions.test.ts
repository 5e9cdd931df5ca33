import { ServerResponse } from 'node:http'
import { SocialLoginError } from '../../../lib'
import { addCookies, missingRedirect, type PassportActions, runLogin } from '../../../lib/passport/actions'
import type { Request } from '../../../lib/passport/verify-types'
import { incoming } from '../../support/incoming'

// What of Passport's actions is called for each end of a login, and how requests and responses of fewer methods fare.

type Login = Parameters<typeof runLogin>[0]

const assurance = { age: 0, fetchSite: null, startSite: null, referer: 'absent', tabBound: false } as const
const verdict = (user: unknown, info?: unknown): Login => {
  return async () => ({
    action: { type: 'verdict', verdict: { user, info }, loginInfo: { assurance } },
    appOrigin: undefined,
  })
}
const failing = (error: unknown): Login => {
  return () => Promise.reject(error)
}
const redirecting: Login = async () => ({
  action: { type: 'redirect', url: 'https://social.example/oauth' },
  appOrigin: undefined,
})

/** A request of Express, as far as the actions read it. */
function request(more: object = {}): Request {
  return Object(incoming('/callback', {}, more))
}

/** A response of Node that sends nothing, with what its `end` was called with. */
function response(): { res: ServerResponse; ends: unknown[][] } {
  const res = new ServerResponse(incoming('/callback'))
  const ends: unknown[][] = []
  return { res: Object.assign(res, { end: (...args: unknown[]) => void ends.push(args) }), ends }
}

/** Actions that note their arguments. */
function recorded(more: Partial<PassportActions> = {}): { actions: PassportActions; calls: unknown[][] } {
  const calls: unknown[][] = []
  const note = (name: string) => {
    return (...args: unknown[]): void => void calls.push([name, ...args])
  }
  const [success, fail, redirect] = [note('success'), note('fail'), note('redirect')]
  return { actions: { success, fail, redirect, error: note('error'), ...more }, calls }
}

/** The actions that a login ends with. */
async function called(login: Login, req = request()): Promise<unknown[][]> {
  const { actions, calls } = recorded()
  await runLogin(login, actions, req, {})
  return calls
}

describe('a request without res.redirect', () => {
  test.each([
    { successRedirect: '/me' },
    { successReturnToOrRedirect: '/me' },
    { failureRedirect: '/login' },
    { successRedirect: '', successReturnToOrRedirect: '', failureRedirect: '/login' },
  ])('is refused under %j', (options) => {
    for (const req of [request(), request({ res: {} })]) expect(missingRedirect(req, options)).toBeInstanceOf(TypeError)
  })

  test('is not refused where nothing redirects, nor where the request is no stream, as in Fastify', () => {
    expect(missingRedirect(request(), { successRedirect: '', failureMessage: true })).toBeUndefined()
    expect(missingRedirect(request({ pipe: undefined }), { successRedirect: '/me' })).toBeUndefined()
    expect(missingRedirect(request({ res: { redirect: () => {} } }), { successRedirect: '/me' })).toBeUndefined()
  })
})

describe('the redirect of a start', () => {
  test('has an empty one, which counts as none, where a header cannot be removed, as in koa-passport', async () => {
    const headers = new Map<string, unknown>([['Referrer-Policy', 'no-referrer']])
    const setHeader = (name: string, value: unknown): void => void headers.set(name, value)
    expect(await called(redirecting, request({ res: { setHeader } }))).toHaveLength(1)
    expect([...headers]).toStrictEqual([
      ['Referrer-Policy', ''],
      ['Social-Login', 'start'],
    ])
  })
})

const NOT_ACCEPTED = 'This application did not accept the account that you signed in with.'

test.each<[unknown, object]>([
  [undefined, { message: NOT_ACCEPTED }],
  [7, { message: NOT_ACCEPTED }],
  ['closed', { message: 'closed' }],
  [{ reason: 'closed' }, { reason: 'closed' }],
])('a refusal of verify with the info %j fails with an object, and 401', async (given, info) => {
  expect(await called(verdict(false, given))).toStrictEqual([['fail', info, 401]])
})

test.each<[unknown, object]>([
  [undefined, {}],
  [7, {}],
  ['welcome', { message: 'welcome' }],
  [{ isNew: true }, { isNew: true }],
])('a success with the info %j has an object of it, and what is known of the login', async (given, info) => {
  expect(await called(verdict('user', given))).toStrictEqual([['success', 'user', { ...info, assurance }]])
})

describe('where an error has nowhere to go', () => {
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  afterAll(() => emitWarning.mockRestore())

  const thrown = new Error('next is not a function')
  const error = (): never => {
    throw thrown
  }

  test('a failure that is thrown while a failure is told does not go to the callback of the application again', async () => {
    const { res, ends } = response()
    let count = 0
    const fail = (): void => {
      count += 1
      if (count === 1) throw new SocialLoginError('login_expired', 'callback')
    }
    const { actions, calls } = recorded({ fail })
    await runLogin(failing(new SocialLoginError('auth_key_missing', 'callback')), actions, request({ res }), {})
    expect([count, calls, res.statusCode, ends]).toStrictEqual([1, [], 500, [[]]])
  })

  test('the response is an empty 500', async () => {
    const { res, ends } = response()
    await runLogin(failing(null), recorded({ error }).actions, request({ res }), {})
    expect([res.statusCode, ends]).toStrictEqual([500, [[]]])
  })

  test('a response that has begun is not ended, because the application may be writing', async () => {
    const { res, ends } = response()
    res.flushHeaders()
    await runLogin(verdict('user'), recorded({ error }).actions, request({ res }), {})
    expect([res.statusCode, ends]).toStrictEqual([200, []])
  })

  test.each([[undefined], [{}], [{ setHeader: () => {} }]])('nothing more fails with the response %p', async (res) => {
    const login = runLogin(failing(new Error('own')), recorded({ error }).actions, request({ res }), {})
    await expect(login).resolves.toBeUndefined()
  })

  test('the login ends after that, even if a promise of the application tells it later', async () => {
    const { res, ends } = response()
    const later = async (): Promise<never> => {
      await new Promise((resolve) => setImmediate(resolve))
      throw thrown
    }
    await runLogin(failing(new Error('own')), recorded({ error: later }).actions, request({ res }), {})
    expect([res.statusCode, ends]).toStrictEqual([500, [[]]])
  })
})

describe('the cookies of a login', () => {
  test.each<[string | string[] | undefined, string[]]>([
    [undefined, ['new=1', 'new=2']],
    ['old=1', ['old=1', 'new=1', 'new=2']],
    [
      ['old=1', 'old=2'],
      ['old=1', 'old=2', 'new=1', 'new=2'],
    ],
  ])('are added to %j', (before, expected) => {
    const { res } = response()
    if (before !== undefined) res.setHeader('Set-Cookie', before)
    addCookies(request({ res }), ['new=1', 'new=2'])
    expect(res.getHeader('Set-Cookie')).toEqual(expected)
  })

  test('are set where what was set before cannot be read, and nowhere without a response that takes them', () => {
    const headers: unknown[] = []
    addCookies(request({ res: { setHeader: (...header: unknown[]) => void headers.push(header) } }), ['new=1'])
    expect(headers).toStrictEqual([['Set-Cookie', ['new=1']]])
    const { res: sent } = response()
    sent.flushHeaders()
    for (const res of [undefined, {}, sent]) addCookies(request({ res }), ['new=1'])
    expect(sent.hasHeader('Set-Cookie')).toBe(false)
  })
})
