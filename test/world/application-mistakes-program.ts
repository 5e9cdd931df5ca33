import { createRequire } from 'node:module'
import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import { Browser } from '../support/browser'
import { listen } from '../support/listen'

// One login of an application with a mistake, for each argument, which names it. Prints the codes of the process warnings.

const load = createRequire(__filename)

/** The package as a process loads it, which gives each warning once. */
function loadPackage(): typeof import('passport-social-login') {
  for (const file of Object.keys(load.cache)) if (/[\\/]dist[\\/]lib[\\/]/.test(file)) delete load.cache[file]
  return load('passport-social-login')
}

/** @returns the codes of its warnings */
async function logIn(mistake: string): Promise<unknown[]> {
  const { Strategy } = loadPackage()
  const warnings: unknown[] = []
  const collect = (warning: Error): void => void warnings.push(Reflect.get(warning, 'code'))
  process.on('warning', collect)
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
    secure: mistake.startsWith('secure'),
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
  process.off('warning', collect)
  return warnings
}

async function main(mistakes: readonly string[]): Promise<void> {
  const found: Record<string, unknown[]> = {}
  for (const mistake of mistakes) found[mistake] = await logIn(mistake)
  console.log(JSON.stringify(found))
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})
