import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { SocialLogin } from 'passport-social-login/web'
import { nameIn, sessionOf, userIn } from './session.mjs'
import { LoginInProgress, store, withCookie } from './store.mjs'

const options = { ...env.PROVIDER, callbackURL: `${env.ORIGIN}/callback`, failureRedirect: '/login' }
const app = new Hono()
// docs/stores.md#a-durable-object, block 1

app.get('/callback', async (c) => {
  const result = await login.callback(c.req.raw, { user: userIn(c.req.raw) })
  if (result.type !== 'success') return result.response
  result.headers.append('Set-Cookie', sessionOf(result.profile))
  return result.redirect('/me')
})
app.get('/me', (c) => c.text(nameIn(c.req.raw) ?? 'nobody', nameIn(c.req.raw) ? 200 : 401))

export { LoginInProgress }
// biome-ignore lint/style/noDefaultExport: workerd wants one.
export default app
