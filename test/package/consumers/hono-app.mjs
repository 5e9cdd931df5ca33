// The application of the consumers with Hono. Copied beside the main file of each.
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { languageDetector } from 'hono/language'
import { SocialLogin } from 'passport-social-login/web'
import { nameIn, optionsFor, sessionOf, userIn } from './session.mjs'

// As docs/web.md has it: Hono drops the cookies of another Response once middleware has touched `c.res`.
function send(c, { status, headers, body }) {
  for (const [name, value] of headers) c.header(name, value, { append: name === 'set-cookie' })
  return new Response(body, { status, headers: c.res.headers })
}

export function createApp(provider, origin) {
  const app = new Hono()
  app.use(cors(), languageDetector({ supportedLanguages: ['en', 'de'], fallbackLanguage: 'en' }))
  const login = new SocialLogin(optionsFor(provider, origin))
  app.get('/auth', async (c) => {
    return send(c, await login.start(c.req.raw, { user: userIn(c.req.raw), returnTo: c.req.query('next') }))
  })
  app.get('/callback', async (c) => {
    const result = await login.callback(c.req.raw, { user: userIn(c.req.raw) })
    if (result.type !== 'success') return send(c, result.response)
    const { profile, info, redirect } = result
    c.header('Set-Cookie', sessionOf(profile), { append: true })
    return send(c, redirect(info.returnTo ?? '/me'))
  })
  app.get('/', (c) => c.html('<a href="/auth">Sign in</a>'))
  app.get('/me', (c) => c.text(nameIn(c.req.raw) ?? 'nobody', nameIn(c.req.raw) ? 200 : 401))
  return app
}
