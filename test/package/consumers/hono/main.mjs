import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { SocialLogin } from 'passport-social-login/web'
import { play } from './driver.cjs'
import { nameIn, sessionOf, userIn } from './session.mjs'

await play((provider, { origin }) => {
  const options = {
    ...provider,
    callbackURL: `${origin}/callback`,
    keys: ['cookie-key-of-at-least-32-characters'],
    failureRedirect: '/login',
    successRedirect: '/me',
  }
  const app = new Hono()
  const login = new SocialLogin(options)
  app.get('/auth', (c) => login.start(c.req.raw, { user: userIn(c.req.raw), returnTo: c.req.query('next') }))
  app.get('/callback', async (c) => {
    const result = await login.callback(c.req.raw, { user: userIn(c.req.raw) })
    if (result.type !== 'success') return result.response
    const { profile, info, headers } = result
    for (const [name, value] of headers) c.header(name, value, { append: true })
    c.header('Set-Cookie', sessionOf(profile), { append: true })
    return c.redirect(info.returnTo ?? '/me')
  })
  app.get('/', (c) => c.html('<a href="/auth">Sign in</a>'))
  app.get('/me', (c) => c.text(nameIn(c.req.raw) ?? 'nobody', nameIn(c.req.raw) ? 200 : 401))
  return createAdaptorServer({ fetch: app.fetch })
}, '/auth?next=/inbox')
