import { Strategy } from '../../../dist/lib/index.js'
import { addressOf, SITES, siteName } from '../../sites.js'
import { createStack } from '../stack.js'

/** Our strategy with thousands of sites; who has signed in where is the answer to the callback. */
export function createApp({ origin: _origin, providerOrigin, callbackURL, ...options }) {
  const sites = new Map(
    Array.from({ length: SITES }, (_, index) => [siteName(index), createSite(index, providerOrigin)]),
  )
  const strategy = new Strategy(
    {
      provider: ({ params }) => sites.get(params.provider),
      callbackURL: `${callbackURL}/:provider`,
      allowPrivateAddresses: true,
      ...options,
    },
    (_token, _refreshToken, { provider, id }, done) => done(null, { id: `${provider} ${id}` }),
  )
  return createStack(strategy, '/:provider')
}

function createSite(index, providerOrigin) {
  const name = siteName(index)
  const { port } = new URL(providerOrigin)
  return { name, baseURL: `http://${addressOf(index)}:${port}/api/v1`, clientID: name, clientSecret: 'secret' }
}
