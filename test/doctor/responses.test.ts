import { type OutcomeCode, SocialLoginError } from '../../lib'
import { readProfile, readToken } from '../../lib/client/response/responses'
import type { ProbeResponse } from '../../lib/doctor/probe'
import {
  contentOf,
  isFromAPI,
  kindOf,
  mayBeAPI,
  obstacleIn,
  reasonOf,
  recordForm,
  redirectTarget,
  refuses,
  tokenIn,
  unreadable,
} from '../../lib/doctor/response'
import { newExamination, responseOf } from '../support/doctor'

// What the doctor takes a single response for, and what it tells of it.

const PAGE = '<!doctype html><h1>Hello</h1>'
const MARK = { 'cf-mitigated': 'challenge' }
const refusal = { error: true }
const data = { error: false }

describe('the kind of a response', () => {
  const texts = (...statuses: number[]) => statuses.map((status) => ({ status, text: 'Not now' }))
  const objects = (...statuses: number[]) => statuses.map((status) => ({ status, json: data }))

  test.each<[kind: string, Partial<ProbeResponse>[]]>([
    ['data', [...objects(200, 201, 299), { json: [] }, { json: { error: 'true' } }, { json: { error: 1 } }]],
    ['data', [{ json: data, headers: MARK }]],
    ['refusal', [...objects(400, 401, 403, 409, 428, 430, 499), { json: refusal }, { status: 403, json: [] }]],
    ['plain-refusal', [...texts(400, 401, 403, 406, 409, 411, 428, 430, 499), { status: 400, text: PAGE }]],
    ['words', [...texts(200, 299), {}, { text: 'x'.repeat(1000) }]],
    ['other', [{ text: 'x'.repeat(1001) }]],
    ['page', [{ text: PAGE }, { status: 299, text: PAGE }]],
    ['missing', [...texts(404, 410), ...objects(404, 410)]],
    ['method', [...texts(405), ...objects(405)]],
    ['redirect', [...texts(300, 302, 399), ...objects(300, 302, 399), { status: 399, json: data, headers: MARK }]],
    ['rate-limit', [...texts(429), ...objects(429)]],
    ['server-error', [...texts(500, 502, 599), ...objects(500, 503)]],
    ['firewall', [200, 302, 400, 404, 429, 500].map((status) => ({ status, headers: MARK }))],
    ['firewall', [400, 403, 500].map((status) => ({ status, headers: MARK, json: data }))],
  ])('is %s, if it is one of %j', (kind, responses) => {
    const kinds = responses.map((each) => kindOf(responseOf(each)))
    expect(new Set(kinds)).toEqual(new Set([kind]))
  })

  test('tells whether it is of the API, may be of an API, and refuses', () => {
    const judged = (each: Partial<ProbeResponse>) =>
      [isFromAPI, mayBeAPI, refuses].map((judge) => Number(judge(responseOf(each)))).join('')
    expect({
      data: judged({ json: {} }),
      refusal: judged({ json: refusal }),
      'plain refusal': judged({ status: 401 }),
      words: judged({ text: 'no' }),
      page: judged({ text: PAGE }),
      'failure in JSON': judged({ status: 500, json: {} }),
      'refusal of a firewall in JSON': judged({ status: 403, json: {}, headers: MARK }),
    }).toEqual({
      data: '110',
      refusal: '111',
      'plain refusal': '011',
      words: '010',
      page: '000',
      'failure in JSON': '100',
      'refusal of a firewall in JSON': '000',
    })
  })
})

test.each([
  ['abc', 'abc'],
  [7, '7'],
  ['x'.repeat(4096), 'x'.repeat(4096)],
  ['a b', undefined],
  ['', undefined],
  ['x'.repeat(4097), undefined],
  [{}, undefined],
  [['a'], undefined],
  [true, undefined],
  [null, undefined],
])(
  'the access_token number %# is a token, unless a login would refuse it or the response is an error',
  (value, token) => {
    const json = { access_token: value }
    expect([200, 302, 399].map((status) => tokenIn(responseOf({ json, status })))).toEqual([token, token, token])
    const errors = [{ json: { ...json, error: true } }, { json, status: 400 }, { json, status: 500 }]
    expect(errors.map((error) => tokenIn(responseOf(error)))).toEqual([undefined, undefined, undefined])
  },
)

test('without JSON, or without an access_token in it, there is no token', () => {
  const without = [{}, { json: {} }, { json: ['access_token'] }, { text: 'access_token' }]
  expect(without.map((each) => tokenIn(responseOf(each)))).toEqual(without.map(() => undefined))
})

describe('of the content of a response, what is told is', () => {
  const letters = [...'abcdefghijkl']
  const twelve = Object.fromEntries(letters.map((name) => [name, 1]))

  test.each<[Partial<ProbeResponse>, string]>([
    [{ text: '' }, 'an empty body'],
    [{ text: ' \r\n' }, 'an empty body'],
    [{ text: 'Hello' }, 'a text'],
    [{ text: PAGE }, 'a page'],
    [{ json: [] }, 'an empty array'],
    [{ json: [{ id: 1 }] }, 'an array'],
    [{ json: {} }, 'an empty object'],
    [
      { json: { id: 1, user: { name: 'Ann', 'a b': 1 }, list: [{ x: 1 }] } },
      'an object of id, user, user.name, user.*, list',
    ],
    [{ json: { ['x'.repeat(25)]: 1, a1: 1, ' a': 1, é: 1, 'a-b': 1 } }, 'an object of *, *, *, *, *'],
    [{ json: { ...twelve, m: 1 } }, `an object of ${letters.map(() => '*').join(', ')} ...`],
  ])('of %j: %s', (each, content) => {
    expect(contentOf(responseOf({ ...each, status: 418 }), newExamination())).toBe(`${content} (status 418)`)
  })

  test('a name that is a secret is not told, and the others are', () => {
    const examination = newExamination()
    examination.hide('canary')
    const content = contentOf(responseOf({ json: { canary: { a: 1 }, user: { canary: 1 } } }), examination)
    expect(content).toBe('an object of *, *.*, user, user.* (status 200)')
  })
})

describe('the form of JSON is recorded:', () => {
  const none = { htmlContentType: false, sessionCookie: false, scriptWarnings: false }

  test.each<[Partial<ProbeResponse>, object]>([
    [{ json: {} }, none],
    [{ json: [] }, none],
    [
      { json: {}, headers: { 'content-type': 'Text/HTML; charset=utf-8' } },
      { ...none, htmlContentType: true },
    ],
    [{ json: {}, headers: { 'content-type': 'application/json' } }, none],
    [{ json: {}, headers: { 'content-type': 'x-text/html' } }, none],
    [{ json: {}, headers: { 'content-type': 'text/htmlx' } }, none],
    [
      { json: {}, headers: { 'set-cookie': ['a=1'] } },
      { ...none, sessionCookie: true },
    ],
    [
      { json: {}, hasWarnings: true },
      { ...none, scriptWarnings: true },
    ],
    [{ headers: { 'content-type': 'text/html', 'set-cookie': ['a=1'] }, hasWarnings: true }, {}],
  ])('of %j it is %j', (each, mode) => {
    const examination = newExamination()
    recordForm(responseOf(each), examination)
    expect(examination.mode).toEqual(mode)
  })
})

test.each([
  ['https://b.example/x?y=1', 'https://b.example/x?y=1'],
  ['http://b.example', 'http://b.example/'],
  ['/login', 'https://a.example/login'],
  ['login', 'https://a.example/api/login'],
  ['?x=1', 'https://a.example/api/start?x=1'],
  [undefined, undefined],
  ['', undefined],
  ['//b.example/', undefined],
  ['ftp://b.example/', undefined],
  ['app://login', undefined],
  ['xhttp://b.example/', undefined],
  ['httpx://b.example/', undefined],
  ['javascript:alert(1)', undefined],
])('a redirect to %j leads to %j', (location, target) => {
  const headers = location === undefined ? {} : { location }
  expect(redirectTarget(responseOf({ headers }), new URL('https://a.example/api/start'))?.href).toBe(target)
})

describe('why a login ends at a response', () => {
  test('is the outcome of the login, and no defect', () => {
    const defect = new RangeError('defect')
    const broken = () => {
      throw defect
    }
    expect(obstacleIn(responseOf({ json: { access_token: 'abc' } }), readToken)).toBeUndefined()
    expect(obstacleIn(responseOf({ json: refusal }), readToken)).toMatchObject({ code: 'auth_key_rejected' })
    expect(() => obstacleIn(responseOf({}), broken)).toThrow(defect)
    expect(() => obstacleIn(responseOf({ read: broken }), readToken)).toThrow(defect)
  })

  test('is told by the hint of the outcome', () => {
    const outcome = (code: OutcomeCode) => new SocialLoginError(code, 'exchange', { hint: 'As told here.' })
    expect([reasonOf(outcome('provider_bad_response')), reasonOf(outcome('profile_invalid'))]).toEqual([
      'As told here.',
      'As told here.',
    ])
  })

  const behind = ['The exchange must be answered with a JSON object.', 'The profile must be answered with JSON.'].map(
    (hint) =>
      `There is JSON, but no login reads it. ${hint} There are 0 characters before the JSON and 1 behind it, such as a warning of PHP or a comment.`,
  )
  const warnings =
    "The warnings of a script precede the JSON, so that no client can read it. The provider's operator must turn off display_errors."

  test.each<[Partial<ProbeResponse>, readonly (string | undefined)[]]>([
    [{ json: refusal }, [undefined, undefined]],
    [{ json: refusal, status: 404 }, [undefined, undefined]],
    [{ json: { access_token: 'abc', user_id: 1 }, status: 401 }, [undefined, undefined]],
    [{ json: refusal, text: '{"error":true};', status: 401 }, behind],
    [{ json: refusal, text: '{"error":true};', status: 404 }, behind],
    [{ json: refusal, text: 'x{"error":true}', hasWarnings: true }, [warnings, warnings]],
  ])('is told of %j, if it is JSON that neither an exchange nor a profile reads', (each, reasons) => {
    const response = responseOf(each)
    expect([readToken, readProfile].map((read) => unreadable(response, read))).toEqual(reasons)
    expect(response.read().status).toBe(response.status)
  })
})
