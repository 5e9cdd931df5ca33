// The application of the consumers with Hono. Copied beside the main file of each.
import { Hono } from 'hono'
import { SocialLogin } from 'passport-social-login/web'
import { nameIn, optionsFor, sessionOf, userIn } from './session.mjs'

export function createApp(provider, origin) {
  const app = new Hono()
  const login = new SocialLogin(optionsFor(provider, origin))
  app.get('/auth', (c) => login.start(c.req.raw, { user: userIn(c.req.raw), returnTo: c.req.query('next') }))
  app.get('/callback', async (c) => {
    const result = await login.callback(c.req.raw, { user: userIn(c.req.raw) })
    if (result.type !== 'success') return result.response
    const { profile, info, finish } = result
    c.header('Set-Cookie', sessionOf(profile), { append: true })
    return finish(c.redirect(info.returnTo ?? '/me'))
  })
  app.get('/', (c) => c.html('<a href="/auth">Sign in</a>'))
  app.get('/me', (c) => c.text(nameIn(c.req.raw) ?? 'nobody', nameIn(c.req.raw) ? 200 : 401))
  return app
}
