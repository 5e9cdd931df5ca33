import { EventEmitter } from 'node:events'
import { incoming } from '../../../../support/incoming'
import { newPendingLogin } from '../../../../support/pending-login'

interface Start {
  /** What express-session has as `session.cookie`. */
  readonly cookie: unknown
  readonly sessionID?: unknown
  /** The cookies of the request. */
  readonly sent?: string
  /** The header Set-Cookie, when the response is sent. */
  readonly setCookie?: unknown
  /** What Express has as `req.res`. Default: a response. */
  readonly res?: unknown
}

/** The codes of the process warnings of a start. */
function warningsOf({ cookie, sessionID = 'abc', sent = '', setCookie, ...more }: Start): unknown[] {
  // A process is warned once.
  jest.resetModules()
  const { SessionStore }: typeof import('../../../../../lib') = require('../../../../../lib')
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const headers = new Map<string, unknown>()
  const response = Object.assign(new EventEmitter(), { getHeader: (name: string) => headers.get(name) })
  const request = incoming('/login', { cookie: sent }, { session: { cookie }, sessionID, res: response, ...more })
  new SessionStore().save(request, newPendingLogin())
  headers.set('set-cookie', setCookie)
  response.emit('finish')
  const codes = emitWarning.mock.calls.map(([, options]) => Reflect.get(Object(options), 'code'))
  emitWarning.mockRestore()
  return codes
}

const call = (_event: string, listener?: () => void): void => listener?.()

const OF_SESSION = 'connect.sid=s%3Aabc.def; Path=/; HttpOnly; Secure'

test.each<Start>([
  { cookie: { sameSite: 'strict' } },
  { cookie: { sameSite: true } },
  { cookie: { sameSite: 'strict' }, sessionID: 7, res: undefined },
])('a cookie that browsers do not send with a callback is a warning: %j', (start) => {
  expect(warningsOf(start)).toStrictEqual(['SESSION_COOKIE_STRICT'])
})

test.each<Start>([
  { cookie: { secure: true } },
  { cookie: { secure: true, sameSite: 'lax' }, setCookie: 'theme=dark' },
  { cookie: { secure: true, sameSite: 'none' }, setCookie: ['theme=dark', 'lang=en'] },
  { cookie: { secure: true }, setCookie: 7 },
  { cookie: { secure: true }, sent: 'connect.sid=s%3Aold.def' },
])('a Secure cookie that the browser does not get is a warning: %j', (start) => {
  expect(warningsOf(start)).toStrictEqual(['SESSION_COOKIE_NOT_SET'])
})

test('a cookie may have both mistakes', () => {
  const codes = ['SESSION_COOKIE_STRICT', 'SESSION_COOKIE_NOT_SET']
  expect(warningsOf({ cookie: { secure: true, sameSite: 'strict' } })).toEqual(codes)
})

test.each<Start>([
  ...[undefined, null, 'strict', {}].map((cookie) => ({ cookie })),
  ...['lax', 'none', false].map((sameSite) => ({ cookie: { sameSite } })),
  ...[false, 'auto', undefined].map((secure) => ({ cookie: { secure } })),
  { cookie: { secure: true }, setCookie: OF_SESSION },
  { cookie: { secure: true }, setCookie: ['theme=dark', OF_SESSION] },
  // It was set by an earlier response.
  { cookie: { secure: true }, sent: 'connect.sid=s%3Aabc.def' },
  { cookie: { secure: true }, sessionID: 7 },
  // A framework without a response of Node.
  ...[undefined, null, {}, { once: call }, { getHeader: call }].map((res) => ({ cookie: { secure: true }, res })),
])('without a mistake there is no warning: %j', (start) => {
  expect(warningsOf(start)).toStrictEqual([])
})
