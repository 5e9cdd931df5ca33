import { CookieStore, type PendingLogin } from '../../../../lib'
import { incoming } from '../../../support/incoming'

const store = new CookieStore({ keys: ['k'.repeat(32)] })
const NAME = '__Host-social-login'
// Made by version 0.1.0 of what RECORD says.
const SEALED = [
  'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwiY3R4IjoicHJvdmlkZXIgQSJ9',
  '',
  '3KLrL9Xz9V7S7zVH',
  'pfKCuWOWHRPU5DBtoUAcXLTIp20FVGMLqcrwLJwZQ_SOhIqCXIOk3NKVd91P9mEaavLwoFxAhyRXQTWuz7zo-SQdG27p3ye015zfw2x4gsbc5dR92w-KHCi04qXPaZJnzQoaHVcJ0yvDxN-5CwoUUitkTIOtUBnw85AUPQpQhuithAUHyU55',
  'IIPJjcyLmwbveCNvKV4pVQ',
].join('.')
const RECORD: PendingLogin = {
  id: 'AAAAAAAAAAAAAAAAAAAAAA',
  strategyDigest: 'provider A',
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
