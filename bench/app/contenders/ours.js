import { CookieStore, Strategy } from '../../../dist/lib/index.js'

/** Our strategy with its defaults, or with one option changed. */
export function createStrategy({ origin: _origin, providerOrigin, callbackURL, cookieStore = false, ...options }) {
  const store = cookieStore && { store: new CookieStore({ keys: ['a key of the bench, with 32 characters'] }) }
  const settings = { baseURL: `${providerOrigin}/api/v1`, clientID: 'bench', clientSecret: 'secret', callbackURL }
  return new Strategy({ ...settings, ...store, ...options }, (_token, _refreshToken, { id }, done) =>
    done(null, { id }),
  )
}
