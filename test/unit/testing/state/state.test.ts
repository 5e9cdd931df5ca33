import { State } from '../../../../lib/testing/state/state'
import type { LoggedRequest } from '../../../../lib/testing/types'

const requestOf = (path: string, body = ''): LoggedRequest => ({
  endpoint: 'oauth',
  method: 'GET',
  path,
  headers: {},
  query: {},
  body,
  form: {},
  at: 0,
})

test('the log keeps the newest 20,000 requests', () => {
  const state = new State({})
  state.log(requestOf('/old'))
  for (let count = 1; count < 20_000; count += 1) state.log(requestOf('/new'))
  expect([state.requests.length, state.requests[0]?.path]).toEqual([20_000, '/old'])
  state.log(requestOf('/new'))
  expect([state.requests.length, state.requests[0]?.path]).toEqual([20_000, '/new'])
})

test('the log keeps the newest 32 MB', () => {
  const state = new State({})
  // With the path and the empty headers, "{}".
  const half = requestOf('/', 'x'.repeat(16 * 1024 * 1024 - 3))
  state.log(half)
  state.log(half)
  expect(state.requests).toHaveLength(2)
  state.clearRequests()
  state.log(half)
  state.log(half)
  expect(state.requests).toHaveLength(2)
  state.clearRequests()
  state.log(half)
  state.log(requestOf('/', half.body.slice(1)))
  // One character too many.
  state.log(requestOf(''))
  expect(state.requests.map(({ path }) => path)).toEqual(['/', ''])
})

test.each([0, -1, 1.5, Number.NaN])('a rate limit of %d is refused', (rateLimit) => {
  expect(() => new State({ rateLimit })).toThrow(
    new TypeError('rateLimit must be a whole number of requests per hour from 1, or Infinity'),
  )
})

test.each([1, 1000, Number.POSITIVE_INFINITY])('a rate limit of %d is taken', (rateLimit) => {
  expect(new State({ rateLimit }).rateLimit).toBe(rateLimit)
})
