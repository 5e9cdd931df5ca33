import { Strategy } from '../../../dist/lib/index.js'

/** Our strategy as for many sites, which it finds by the host; here there is only one. */
export function createStrategy({ origin, providerOrigin, callbackURL, isAsync = false }) {
  const site = { name: 'bench', baseURL: `${providerOrigin}/api/v1`, clientID: 'bench', clientSecret: 'secret' }
  const sites = new Map([[new URL(origin).host, { ...site, callbackURL }]])
  const find = (req) => sites.get(req.headers.host)
  return new Strategy(
    { provider: isAsync ? async (req) => find(req) : find, allowPrivateAddresses: true },
    (_token, _refreshToken, { id }, done) => done(null, { id }),
  )
}
