import Router from '@koa/router'
import Koa from 'koa'
import passport from 'koa-passport'
import session from 'koa-session'
import { Strategy } from 'passport-social-login'
import { play } from './driver.cjs'

await play((provider) => {
  passport.use(
    new Strategy({ ...provider, callbackURL: '/callback' }, async (_accessToken, _refreshToken, profile) => ({
      name: profile.displayName,
    })),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, user))
  const app = new Koa()
  app.silent = true
  app.keys = ['secret']
  // docs/guides/frameworks.md#koa, block 1
  router.get('/auth/inbox', passport.authenticate('social-login', { returnTo: '/inbox' }))
  router.get('/me', (ctx) => {
    if (ctx.state.user) ctx.body = ctx.state.user.name
    else ctx.status = 401
  })
  app.use(router.routes())
  return app.listen(0, '127.0.0.1')
}, '/auth/inbox')
