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
  state.log(requestOf(''))
  expect(state.requests.map(({ path }) => path)).toEqual(['/', ''])
})
