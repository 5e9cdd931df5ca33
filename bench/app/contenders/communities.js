import { Strategy } from '../../../dist/lib/index.js'

/** Our strategy as for many communities, which it finds by the host; here there is only one. */
export function createStrategy({ origin, providerOrigin, callbackURL, isAsync = false }) {
  const community = { name: 'bench', baseURL: `${providerOrigin}/api/v1`, clientID: 'bench', clientSecret: 'secret' }
  const communities = new Map([[new URL(origin).host, { ...community, callbackURL }]])
  const find = (req) => communities.get(req.headers.host)
  return new Strategy(
    { provider: isAsync ? async (req) => find(req) : find, allowPrivateAddresses: true },
    (_token, _refreshToken, { id }, done) => done(null, { id }),
  )
}
