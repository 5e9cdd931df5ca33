import OAuth2Strategy from 'passport-oauth2'

/** A strategy as it is usually written for such a provider: a subclass with its own exchange. */
class SocialStrategy extends OAuth2Strategy {
  constructor({ providerOrigin, callbackURL }, verify) {
    const authorizationURL = `${providerOrigin}/api/oauth`
    const tokenURL = `${providerOrigin}/api/authorize`
    // The provider of the bench repeats the state, which those of this API do not: so that both keep a record of the login.
    const application = { callbackURL, clientID: 'bench', clientSecret: 'secret', state: true }
    super({ authorizationURL, tokenURL, ...application }, verify)
    this.profileURL = `${providerOrigin}/api/v1/user/me`
    this._oauth2.useAuthorizationHeaderforGET(true)
    this._oauth2.getOAuthAccessToken = function (key, _params, done) {
      const form = new URLSearchParams({ app_id: 'bench', app_secret: 'secret', auth_key: key }).toString()
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      this._request('POST', tokenURL, headers, form, null, (error, data) => {
        if (error) return done(error)
        const results = JSON.parse(data)
        done(null, results.access_token, undefined, results)
      })
    }
  }

  authenticate(req, options) {
    const { query } = req
    if (query?.auth_key) Object.defineProperty(req, 'query', { value: { ...query, code: query.auth_key } })
    super.authenticate(req, options)
  }

  authorizationParams() {
    return { app_id: 'bench' }
  }

  userProfile(accessToken, done) {
    this._oauth2.get(this.profileURL, accessToken, (error, body) => {
      if (error) return done(error)
      const user = JSON.parse(body)
      const name = { givenName: user.user_firstname, familyName: user.user_lastname }
      done(null, { provider: 'social', id: user.user_id, displayName: user.user_name, name, _raw: body, _json: user })
    })
  }
}

export function createStrategy(settings) {
  return new SocialStrategy(settings, (_token, _refreshToken, { id }, done) => done(null, { id }))
}
