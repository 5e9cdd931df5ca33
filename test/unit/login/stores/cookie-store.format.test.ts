import { CookieStore, type PendingLogin } from '../../../../lib'
import { incoming } from '../../../support/incoming'

const store = new CookieStore({ keys: ['k'.repeat(32)] })
const NAME = '__Host-social-login'
// RECORD as sealed by version 0.1.0.
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

test('a record sealed by an earlier version is opened: logins survive a rolling update', async () => {
  expect(await load(`${NAME}=${SEALED}`)).toEqual(RECORD)
})

test('spaces between cookies are not part of their names', async () => {
  expect(await load(`a=b;${NAME}=${SEALED}`)).toEqual(RECORD)
  expect(await load(`a=b; \t ${NAME}=${SEALED}; c=d`)).toEqual(RECORD)
})

// Browsers protect only the exact prefix __Host-: a sister subdomain can set these names.
test.each(['__Host- social-login', '__Host-social-login ', '__Host-social-login\t', '__Host\t-social-login'])(
  'a cookie named %j is not the store’s own',
  async (name) => {
    expect(await load(`${name}=${SEALED}`)).toBeUndefined()
  },
)
