import { CookieStore, type PendingLogin } from '../lib'
import { incoming } from './support/incoming'

const store = new CookieStore({ keys: ['k'.repeat(32)] })
const NAME = '__Host-social-login'
// Made by version 0.1.0 of what RECORD says.
const SEALED = [
  'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwiY3R4IjoicHJvdmlkZXIgQSJ9',
  '',
  'WGmmPEAdvCqBSYTo',
  '0KR-wevcte5S3uKys1Gleeh7BmB5hGxRJYKH47PGdKE0iVSNqsY1tYp9TvJo7w55QIJ9u2zY_0HhZAdke-Fx0jYZv8rwL9bCbgyMIxHj3fYfyzb7jpfhtoC9Icymw4YsiXVCmGazN0m4JKKiD8SrJyZykJhdWZtSVihWCtjrxkA',
  '3OIFr7r7t2eUAz0E8wDhVA',
].join('.')
const RECORD: PendingLogin = {
  id: 'AAAAAAAAAAAAAAAAAAAAAA',
  context: 'provider A',
  issuedAt: 1_767_225_600_000,
  user: null,
  startSite: null,
  returnTo: '/inbox',
}

const load = (cookie: string) => store.load(incoming('/', { cookie }))

test('a record that an earlier version sealed is opened: logins survive an update of one process of several', async () => {
  expect(await load(`${NAME}=${SEALED}`)).toEqual(RECORD)
})

test('spaces between cookies are no part of their names', async () => {
  expect(await load(`a=b;${NAME}=${SEALED}`)).toEqual(RECORD)
  expect(await load(`a=b; \t ${NAME}=${SEALED}; c=d`)).toEqual(RECORD)
})

// Browsers guard only the exact prefix __Host-: these names are anybody's on a sister subdomain.
test.each(['__Host- social-login', '__Host-social-login ', '__Host-social-login\t', '__Host\t-social-login'])(
  'a cookie named %j is not the store’s own',
  async (name) => {
    expect(await load(`${name}=${SEALED}`)).toBeUndefined()
  },
)
