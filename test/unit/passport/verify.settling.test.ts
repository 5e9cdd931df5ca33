import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { callVerify } from '../../../lib/passport/verify'
import type { AnyVerifyFunction, Request } from '../../../lib/passport/verify-types'
import { rejectionOf } from '../../support/leak-check'

type Done = (error?: unknown, user?: unknown, info?: unknown) => void

const newRequest = (): Request => Object(new IncomingMessage(new Socket()))
const assurance = { age: 0, fetchSite: null, startSite: null, referer: 'absent', tabBound: false } as const
const login = { params: { access_token: 'token' }, profile: undefined }
const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})

afterAll(() => {
  emitWarning.mockRestore()
})

function call(verify: AnyVerifyFunction, verifyTimeout = 1000) {
  return callVerify(verify, newRequest(), login, { assurance }, { passReqToCallback: false, verifyTimeout })
}

async function turns(): Promise<void> {
  for (let count = 0; count < 5; count++) await new Promise((resolve) => setImmediate(resolve))
}

const failure = new Error('late-canary')
const fail = (): never => {
  throw failure
}

// The first of this file, because the warning is given once.
test('an async verify function that calls done and resolves to undefined gives no second answer', async () => {
  const verify = async (_a: string, _r: undefined, _p: undefined, done: Done) => done(null, 'user')
  await expect(call(verify)).resolves.toEqual({ user: 'user', info: undefined })
  await turns()
  expect(emitWarning).not.toHaveBeenCalled()
})

/** What a verify function does after it has called done. */
const second: [string, (done: Done) => unknown][] = [
  ['calls done again', (done) => done(null, 'second')],
  ['throws', fail],
  ['rejects', async () => fail()],
  ['resolves another user', async () => 'second'],
  ['calls done with an error later', (done) => void setImmediate(done, failure)],
]

test.each(second)(
  'the first answer of a verify function that calls done and then %s counts, and the second is a warning',
  async (_, goOn) => {
    const verify = (_token: string, _refresh: undefined, _profile: undefined, done: Done) => {
      done(null, 'first')
      return goOn(done)
    }
    await expect(call(verify)).resolves.toEqual({ user: 'first', info: undefined })
    await turns()
    // The first of them in a process: whoever signs in must not be able to fill a log.
    const options = { type: 'SocialLoginWarning', code: 'VERIFY_SETTLED_TWICE' }
    expect(emitWarning.mock.calls).toStrictEqual([[expect.not.stringContaining('canary'), options]])
  },
)

test('an answer after the deadline is a warning and no unhandled rejection', async () => {
  let reject = (_error: Error): void => {}
  const never = new Promise((_, rejectIt) => {
    reject = rejectIt
  })
  expect(await rejectionOf(call(() => never, 10))).toMatchObject({
    code: 'verify_timeout',
    phase: 'verify',
    status: 504,
  })
  reject(failure)
  await turns()
  expect(emitWarning).toHaveBeenCalledTimes(1)
})

test.each<[string, AnyVerifyFunction]>([
  ['returns a user', () => 'user'],
  ['resolves to a user', async () => 'user'],
  ['calls done at once', (_token: string, _refresh: undefined, _profile: unknown, done: Done) => done(null, 'user')],
  [
    'calls done later',
    (_token: string, _refresh: undefined, _profile: unknown, done: Done) => void setImmediate(done, null, 'user'),
  ],
])('no timer is left of a verify function that %s', async (_, verify) => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  await call(verify, 600_000)
  expect(timers()).toBe(before)
})

describe('req.authInfo', () => {
  const before = { scope: 'of another strategy' }

  /** What it is while verify runs, and afterwards. */
  async function authInfoOf(end: () => unknown, passReqToCallback = true): Promise<unknown[]> {
    const req = Object.assign(newRequest(), { authInfo: before })
    let during: unknown
    const verify = (..._args: unknown[]): unknown => {
      during = req.authInfo
      return end()
    }
    const settings = { passReqToCallback, verifyTimeout: 1000 }
    await callVerify(verify, req, login, { assurance }, settings).catch(() => {})
    return [during, req.authInfo]
  }

  test('is that of the login for a verify function that gets the request, and stays if it accepts the user', async () => {
    for (const end of [() => 'user', async () => 'user'])
      expect(await authInfoOf(end)).toStrictEqual([{ assurance }, { assurance }])
  })

  test.each<[string, () => unknown]>([
    ['refuses', () => false],
    ['refuses later', async () => ''],
    ['throws', fail],
    ['rejects', async () => fail()],
  ])('is as it was before after a verify function that %s', async (_, end) => {
    expect(await authInfoOf(end)).toStrictEqual([{ assurance }, before])
  })

  test('is left alone for a verify function that does not get the request', async () => {
    expect(await authInfoOf(() => 'user', false)).toStrictEqual([before, before])
  })
})
