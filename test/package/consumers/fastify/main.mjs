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
  // docs/guides/frameworks.md#fastify, block 1
  const inbox = passport.authenticate('social-login', { returnTo: '/inbox' })
  app.get('/auth/inbox', { preValidation: inbox }, () => {})
  app.get('/me', (request, reply) => (request.user ? request.user.name : reply.code(401).send()))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}, '/auth/inbox')
