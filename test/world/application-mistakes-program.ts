import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { Strategy } from 'passport-social-login'
import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import { Browser } from '../support/browser'
import { listen } from '../support/listen'

// One login of an application with a mistake, whose name is the argument. Prints the codes of the process warnings.
const mistake = process.argv[2]

async function main(): Promise<void> {
  const warnings: unknown[] = []
  process.on('warning', (warning) => warnings.push(Reflect.get(warning, 'code')))
  await using provider = await FakeProvider.start()
  const app = express()
  const { origin, stop } = await listen(app)
  const { appID, appSecret } = provider.registerApplication({ name: 'App', redirectURL: `${origin}/callback` })
  const options = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL: '/callback' }
  const passport = new Passport()
  passport.use(new Strategy(options, async (_accessToken, _refreshToken, { id }) => ({ id })))
  if (mistake === 'one name')
    passport.use('other', new Strategy({ ...options, baseURL: 'https://b.example/v1' }, () => false))
  if (mistake === 'one provider')
    passport.use('other', new Strategy({ ...options, callbackURL: '/other' }, () => false))
  passport.serializeUser((user, done) => done(null, user))
  passport.deserializeUser((user, done) => done(null, typeof user === 'object' ? user : false))
  const cookie = {
    sameSite: mistake === 'strict' ? 'strict' : 'lax',
    secure: mistake?.startsWith('secure') ?? false,
  } as const
  if (mistake === 'secure behind a trusted proxy') app.set('trust proxy', 'loopback')
  app.use(session({ secret: 'x', resave: false, saveUninitialized: false, cookie }))
  if (mistake !== 'no passport.session()') app.use(passport.session())
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/callback', passport.authenticate('social-login'), (_req, res) => void res.json({}))
  const browser = new Browser()
  const proxied = mistake === 'secure behind a trusted proxy' ? { 'x-forwarded-proto': 'https' } : {}
  const start = (headers: object = sameOriginNavigation) =>
    browser.request(`${origin}/auth`, { headers: { ...headers, ...proxied } })
  await start()
  await browser.request(`${origin}/callback?auth_key=${provider.issueAuthKey({ appID, userID: '1' })}`, {
    headers: { ...providerNavigation, ...proxied },
  })
  await start()
  await start()
  await stop()
  console.log(JSON.stringify(warnings))
}

main().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
