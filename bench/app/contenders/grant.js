import Grant from 'grant'
import { createStackBelow } from '../stack.js'

/** grant is its own middleware: Express and the session as for the others, no Passport. */
export function createApp({ providerOrigin, origin }) {
  const { app, sessions } = createStackBelow()
  const social = {
    oauth: 2,
    key: 'bench',
    secret: 'secret',
    authorize_url: `${providerOrigin}/api/oauth`,
    access_url: `${providerOrigin}/api/authorize`,
    profile_url: `${providerOrigin}/api/v1/user/me`,
    response: ['tokens', 'profile'],
  }
  app.use(Grant.express({ defaults: { origin, transport: 'state' }, social }))
  app.get('/connect/social/callback', (req, res, next) => {
    const { profile } = res.locals.grant.response
    // What Passport does at a login: a new session, so that a planted one is worth nothing.
    req.session.regenerate((error) => {
      if (error) return next(error)
      req.session.user = profile.user_id
      req.session.save((error) => (error ? next(error) : res.end(profile.user_id)))
    })
  })
  return { listener: app, sessions }
}
