import { randomBytes } from 'node:crypto'
import { Authenticator } from '@fastify/passport'
import secureSession from '@fastify/secure-session'
import createFastify from 'fastify'
import { Strategy } from 'passport-social-login'
import { play } from './driver.cjs'

await play(async (provider) => {
  const passport = new Authenticator()
  passport.use(
    'social-login',
    new Strategy({ ...provider, callbackURL: '/callback' }, async (_accessToken, _refreshToken, profile) => ({
      name: profile.displayName,
    })),
  )
  passport.registerUserSerializer(async (user) => user)
  passport.registerUserDeserializer(async (user) => user)
  process.env.SESSION_KEY = randomBytes(32).toString('hex')
  // Quoted: fastify
  const app = createFastify()
  // By it the strategy sets headers, and shows the confirm page.
  app.decorateRequest('res', null)
  app.addHook('onRequest', async (request, reply) => {
    request.res = reply.raw
  })
  // 64 hexadecimal digits: `openssl rand -hex 32`. Whoever knows them can sign in as anybody.
  const key = Buffer.from(process.env.SESSION_KEY, 'hex')
  await app.register(secureSession, { key, cookie: { path: '/', httpOnly: true, secure: 'auto', sameSite: 'lax' } })
  await app.register(passport.initialize())
  await app.register(passport.secureSession())
  const finish = { failureRedirect: '/login', successReturnToOrRedirect: '/me' }
  app.get('/auth', { preValidation: passport.authenticate('social-login') }, () => {})
  app.get('/callback', { preValidation: passport.authenticate('social-login', finish) }, (_req, reply) =>
    reply.redirect('/me'),
  )
  // end
  const inbox = passport.authenticate('social-login', { returnTo: '/inbox' })
  app.get('/auth/inbox', { preValidation: inbox }, () => {})
  app.get('/me', (request, reply) => (request.user ? request.user.name : reply.code(401).send()))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}, '/auth/inbox')
