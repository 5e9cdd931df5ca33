import { createRequire } from 'node:module'
import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import { Browser } from '../support/browser'
import { listen } from '../support/listen'

// One login of an application with a mistake, for each argument, which names it. Prints the codes of the process warnings.

const OTHER = 'https://b.example/v1'
const CALLBACK = 'https://app.example/callback'

/** The callback of a second strategy, in an application whose first has the path alone, and what its route gives. */
const OTHER_CALLBACKS: Readonly<Record<string, string>> = {
  'one callback': '/callback/',
  'one callback by its path': CALLBACK,
  'one callback by a call': 'https://app.example/other',
  'one path on two hosts': 'https://other.example/callback',
}
const OPTIONS_OF_CALL: Readonly<Record<string, object>> = {
  'an option in other letters': { return_to: '/inbox' },
  'an option of the strategy in other letters': { tabbinding: true },
  'an option of another strategy': { scope: 'profile', prompt: 'login' },
}

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
  const callbackURL = mistake === 'one path on two hosts' ? `${origin}/callback` : '/callback'
  const options = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
  const passport = new Passport()
  passport.use(new Strategy(options, async (_accessToken, _refreshToken, { id }) => ({ id })))
  if (mistake === 'one name')
    passport.use('other', new Strategy({ ...options, callbackURL: '/other', baseURL: OTHER }, () => false))
  const otherCallback = OTHER_CALLBACKS[mistake]
  if (otherCallback !== undefined)
    passport.use(new Strategy({ ...options, name: 'other', callbackURL: otherCallback, baseURL: OTHER }, () => false))
  const ofCall = OPTIONS_OF_CALL[mistake] ?? {}
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
  app.get('/auth', passport.authenticate('social-login', ofCall))
  if (mistake === 'one callback by a call') app.get('/other', passport.authenticate('other', { callbackURL: CALLBACK }))
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
  await browser.request(`${origin}/other`, { headers: sameOriginNavigation })
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
