import { classifyRequest, fromProvider, type Headers, incoming, policy } from '../../../support/incoming'

const strict = { ...policy, unverifiedStart: 'refuse' } as const
const startOf = (headers: Headers) => classifyRequest(incoming('/auth', headers), strict)
const callbackOf = (headers: Headers) => classifyRequest(incoming('/auth/callback?auth_key=K', headers), strict)
const forbidden = (phase: string, says: RegExp) => {
  const code = phase === 'start' ? 'start_forbidden' : 'callback_forged'
  return { type: 'refused', code, phase, hint: expect.stringMatching(says) }
}

test.each([
  ['x-requested-with', 'XMLHttpRequest'],
  ['x-sec-purpose', 'prefetch'],
  ['x-barba', 'yes'],
])('without Fetch Metadata, %s: %s is named as the sign of a script', (name, value) => {
  const headers = { accept: 'text/html', referer: 'https://app.example/' }
  expect(startOf(headers)).toMatchObject({ type: 'start', confirmation: undefined })
  expect(callbackOf(headers)).toMatchObject({ type: 'callback', authKey: 'K' })
  const hint = expect.stringMatching(/^If a client-side router did, leave this link to the browser: /)
  const refused = { type: 'refused', code: 'navigation_required', phase: 'start', hint }
  expect(startOf({ ...headers, [name]: value })).toEqual(refused)
  expect(callbackOf({ ...headers, [name]: value })).toEqual(forbidden('callback', /^A script made the request/))
})

test('without Fetch Metadata and without a sign of a script, no script is named', () => {
  expect(startOf({})).toEqual(forbidden('start', /^None of the headers/))
  const headers = { accept: 'text/html', referer: 'https://evil.example/' }
  expect(startOf(headers)).toEqual(forbidden('start', /^Sec-Fetch-Site did not arrive/))
  expect(callbackOf(headers)).toEqual(forbidden('callback', /^Its Referer names another site/))
  for (const read of [startOf, callbackOf])
    expect(read({ ...headers, accept: '*/*' })).toHaveProperty('hint', expect.stringMatching(/\(Accept: text\/html\)/))
})

test.each(['iframe', 'frame', 'embed', 'object', 'fencedframe'])('the destination %s is named as a frame', (dest) => {
  for (const [read, phase] of [[startOf, 'start'] as const, [callbackOf, 'callback'] as const])
    expect(read({ ...fromProvider, 'sec-fetch-dest': dest })).toEqual(forbidden(phase, /^It was requested for a frame/))
})

test.each(['constructor', 'toString', '__proto__', 'cross-site, none', ''])(
  'a callback with the unknown Sec-Fetch-Site %j is refused without a hint',
  (site) => {
    const refused = { type: 'refused', code: 'callback_forged', phase: 'callback' }
    expect(callbackOf({ ...fromProvider, 'sec-fetch-site': site })).toEqual(refused)
  },
)

test('with Fetch Metadata, the sign of a script is ignored', () => {
  const marked = { ...fromProvider, referer: 'https://evil.example/', 'x-requested-with': 'XMLHttpRequest' }
  expect(startOf(marked)).toEqual(forbidden('start', /^A page of another site linked here/))
  expect(callbackOf(marked)).toEqual(forbidden('callback', /^Its Referer names another site/))
})
