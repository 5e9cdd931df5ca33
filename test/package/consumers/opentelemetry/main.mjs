import assert from 'node:assert/strict'
import { context, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-social-login'
import { play } from './driver.cjs'

const exporter = new InMemorySpanExporter()
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
assert.equal(trace.getSpan(context.active()), undefined)

await play((provider) => {
  passport.use(
    new Strategy({ ...provider, callbackURL: '/callback' }, async (_accessToken, _refreshToken, profile) => ({
      name: profile.displayName,
    })),
  )
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, user))
  const app = express()
  app.use(session({ secret: 'secret', resave: false, saveUninitialized: false }), passport.session())
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/callback', passport.authenticate('social-login', { failureRedirect: '/login', successRedirect: '/me' }))
  app.get('/me', (req, res) => (req.user ? res.send(req.user.name) : res.sendStatus(401)))
  return app.listen(0, '127.0.0.1')
})

const spans = exporter.getFinishedSpans()
const verify = spans.find(({ name }) => name === 'social-login verify')
const callback = spans.find((span) => span.spanContext().spanId === verify.parentSpanContext.spanId)
assert.equal(callback.name, 'social-login callback')
const ofLogin = spans.filter(
  ({ attributes }) => attributes['social_login.login'] === verify.attributes['social_login.login'],
)
assert.deepEqual(ofLogin.map(({ name }) => name.slice('social-login '.length)).sort(), [
  'callback',
  'exchange',
  'profile',
  'start',
  'verify',
])
const errors = spans.filter(({ status }) => status.code === SpanStatusCode.ERROR)
assert.deepEqual(new Set(errors.map(({ status }) => status.message)), new Set(['provider_unavailable']))
assert.ok(spans.some(({ attributes }) => attributes['social_login.code'] === 'login_not_started'))
