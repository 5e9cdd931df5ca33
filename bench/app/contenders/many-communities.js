import { Strategy } from '../../../dist/lib/index.js'
import { addressOf, COMMUNITIES, communityName } from '../../communities.js'
import { createStack } from '../stack.js'

/** Our strategy with thousands of communities; who has signed in where is the answer to the callback. */
export function createApp({ origin: _origin, providerOrigin, callbackURL, ...options }) {
  const communities = new Map(
    Array.from({ length: COMMUNITIES }, (_, index) => [communityName(index), createCommunity(index, providerOrigin)]),
  )
  const strategy = new Strategy(
    {
      provider: ({ params }) => communities.get(params.provider),
      callbackURL: `${callbackURL}/:provider`,
      allowPrivateAddresses: true,
      ...options,
    },
    (_token, _refreshToken, { provider, id }, done) => done(null, { id: `${provider} ${id}` }),
  )
  return createStack(strategy, '/:provider')
}

function createCommunity(index, providerOrigin) {
  const name = communityName(index)
  const { port } = new URL(providerOrigin)
  return { name, baseURL: `http://${addressOf(index)}:${port}/api/v1`, clientID: name, clientSecret: 'secret' }
}
