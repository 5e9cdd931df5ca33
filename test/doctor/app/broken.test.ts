import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import type { RequestHandler } from 'express'
import { MemoryStore, type SessionData } from 'express-session'
import { Passport } from 'passport'
import { Strategy } from '../../../lib'
import {
  authenticate,
  type Deployment,
  type Proxy as Front,
  type Response,
  useDeployments,
} from '../../support/deployments'

// Applications that are deployed wrongly, or not reached, and the code by which the doctor explains why.

const { deploy, examine, examineAt } = useDeployments()

const PAGE = '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>'
const isNavigation = ({ headers }: { headers: IncomingHttpHeaders }): boolean =>
  headers['sec-fetch-mode'] === 'navigate'
const at = (path: string, answer: Response): Front => ({
  answer: ({ url }) => (url.split('?')[0] === path ? answer : undefined),
})
const without = (...names: string[]): Front => ({
  request: (headers) => {
    for (const name of Object.keys(headers)) if (names.some((one) => name.startsWith(one))) delete headers[name]
  },
})
const both = (one: Front, other: Front): Front => ({
  ...one,
  ...other,
  request: (headers) => {
    one.request?.(headers)
    other.request?.(headers)
  },
})
const rewritingHost: Front = { request: (headers) => void Object.assign(headers, { host: 'app.internal:8080' }) }
const setting = (name: string, value: string | undefined): Front => ({
  response: (headers) => {
    if (value === undefined) delete headers[name]
    else headers[name] = value
  },
})
const changingCookies = (change: (line: string) => string): Front => ({
  response: (headers) => {
    if (headers['set-cookie']) headers['set-cookie'] = headers['set-cookie'].map(change)
  },
})
const joiningCookies: Front = {
  response: (headers) => {
    if (headers['set-cookie']) headers['set-cookie'] = [headers['set-cookie'].join(', ')]
  },
}
const middleware = (handler: RequestHandler): Pick<Deployment, 'before'> => ({ before: (app) => void app.use(handler) })
const adding: RequestHandler = (_req, res, next) => {
  res.cookie('csrf', 'x')
  next()
}
const inTurn = (): Front => ({ process: (_visit, connection) => connection })
const KEYS = ['a', 'b'].map((letter) => letter.repeat(32))

/** Keeps the first answer to each start, as a cache does that ignores Cache-Control. */
function caching(): Front {
  const kept = new Map<string, string[]>()
  return {
    response: (headers, { url, headers: asked }) => {
      if (!url.startsWith('/auth') || url.includes('callback') || asked['sec-fetch-site'] === 'cross-site') return
      if (headers['set-cookie'] && !kept.has(url)) kept.set(url, headers['set-cookie'])
      const cookies = kept.get(url)
      if (headers['set-cookie'] && cookies) headers['set-cookie'] = cookies
    },
  }
}

const CALLBACK = '/auth/callback'

/** Keeps the first answer of the callback's path. */
function cachingCallbacks(): Front {
  let kept: IncomingHttpHeaders | undefined
  return {
    response: (headers, { url }) => {
      if (!url.startsWith(CALLBACK)) return
      kept ??= { ...headers }
      Object.assign(headers, kept)
    },
  }
}

function limiting(path: string, most: number): Front {
  let requests = 0
  return { answer: ({ url }) => (url.startsWith(path) && ++requests > most ? [429] : undefined) }
}
const other =
  (path: string): NonNullable<Deployment['input']> =>
  (origin) => ({ redirectURL: new URL(path, origin).href })
/** A balancer that needs a cookie of its own, which is lost in another way than that of the session. */
const needingItsCookie: Front = {
  request: (headers) => {
    if (!headers.cookie?.includes('route=')) delete headers.cookie
  },
  response: (headers) => {
    const lines = headers['set-cookie']?.map((line) => line.replace('Path=/', 'Path=/app'))
    if (lines) headers['set-cookie'] = [...lines, 'route=1; Path=/; SameSite=Strict']
  },
}
const removingAtOnce: Front = {
  response: (headers) => {
    if (headers['set-cookie']) headers['set-cookie'].push('connect.sid=; Path=/; Max-Age=0')
  },
}
/** A store that keeps nothing. */
class Forgetful extends MemoryStore {
  override set(_id: string, _session: SessionData, done?: (error?: unknown) => void): void {
    done?.()
  }
}
const noMark: RequestListener = (_request, response) =>
  void response.writeHead(302, { location: 'https://social.example/api/oauth?app_id=1' }).end()

const starts: Record<string, [code: string, Deployment]> = {
  'a host that answers navigations with its single page': [
    'broken start_single_page',
    { proxy: { answer: (visit) => (isNavigation(visit) ? [200, PAGE] : undefined) } },
  ],
  'a host that answers every unknown path with it': [
    'broken start_single_page',
    { proxy: { answer: () => [200, PAGE] } },
  ],
  'a waiting room': [
    'broken start_intercepted',
    {
      proxy: {
        answer: (visit) => (isNavigation(visit) ? [200, '<meta http-equiv="refresh" content="9">'] : undefined),
      },
    },
  ],
  'a challenge for navigations': [
    'broken start_intercepted',
    { proxy: { answer: (visit) => (isNavigation(visit) ? [503, 'Checking your browser'] : undefined) } },
  ],
  'a login wall that lets scripts pass': [
    'broken start_intercepted',
    { proxy: { answer: (visit) => (isNavigation(visit) ? [302, '', { location: '/wall' }] : undefined) } },
  ],
  'another page at its path': [
    'broken start_other_page',
    middleware((req, res, next) => (req.path === '/auth' ? res.send(PAGE) : next())),
  ],
  'nothing at its path': ['broken start_not_found', { input: (origin) => ({ app: new URL('/login/social', origin) }) }],
  'a redirect to a slash at the end': [
    'broken start_redirects',
    { proxy: at('/auth', [301, '', { location: '/auth/' }]) },
  ],
  'a redirect to www': [
    'broken start_redirects',
    { proxy: at('/auth', [301, '', { location: 'https://www.app.example/auth' }]) },
  ],
  'a login wall': ['broken start_wall', middleware((_req, res) => res.redirect('/sign-in?next=/auth'))],
  'a language in the path': ['broken start_wall', { proxy: at('/auth', [307, '', { location: '/en/auth' }]) }],
  'a password of the host': [
    'broken start_wall',
    { proxy: { answer: () => [401, 'No', { 'www-authenticate': 'Basic' }] } },
  ],
  'a firewall': ['differs start_blocked', { proxy: { answer: () => [403, '<p>Blocked', { server: 'cloudflare' }] } }],
  'a host that refuses the name': ['differs start_blocked', { proxy: { answer: () => [400, 'Invalid Host'] } }],
  'a rate limit': ['differs start_rate_limited', { proxy: { answer: () => [429, 'Slow down'] } }],
  'a form that needs a token': [
    'differs start_blocked',
    { routes: (app) => void app.post('/auth', (_req, res) => void res.status(403).send('CSRF')) },
  ],
  'an application that is down': ['broken start_gateway', { proxy: { answer: () => [502, '<h1>Bad gateway'] } }],
  maintenance: ['broken start_gateway', { proxy: { answer: () => [503, '<h1>Back soon'] } }],
  'an error before the login': ['broken start_error', middleware((_req, _res, next) => next(new Error('no database')))],
  'passport.session() without a session': [
    'broken start_error',
    { session: 'none', before: (app) => void app.use(new Passport().session()) },
  ],
  'no session': ['broken session_unavailable', { session: 'none' }],
  'a session that Passport cannot renew': [
    'broken session_unsupported',
    {
      session: 'none',
      cookieKeys: () => KEYS,
      ...middleware((req, _res, next) => {
        Object.assign(req, { session: {} })
        next()
      }),
    },
  ],
  'a record of a provider that is not valid': ['broken provider_invalid', { findProvider: () => ({ name: 'one' }) }],
  'no such provider': ['broken provider_unknown', { findProvider: () => undefined }],
  'a provider that is looked up for ever': [
    'broken provider_lookup_timeout',
    { findProvider: () => new Promise(() => {}), strategy: { timeout: 200 } },
  ],
  'a function for providers that fails': [
    'broken start_error',
    {
      findProvider: () => {
        throw new Error('no database')
      },
    },
  ],
  'the callback where the start was meant': [
    'broken start_is_callback',
    { input: (origin) => ({ app: new URL(CALLBACK, origin) }) },
  ],
  'no mark, because a proxy removes it': ['differs mark_missing', { proxy: setting('social-login', undefined) }],
  'no mark, because the framework gives no response': ['differs mark_missing', { listener: () => noMark }],
  'another application id': ['broken app_id_differs', { input: () => ({ appID: 'other' }) }],
  'another provider': [
    'broken provider_differs',
    { input: () => ({ baseURL: new URL('https://social.example/api/v1') }) },
  ],
}

const headers: Record<string, [code: string, Deployment]> = {
  'a CDN that removes Sec-Fetch-* and Referer': ['broken headers_removed', { proxy: without('sec-fetch', 'referer') }],
  'the same, without a callback': [
    'broken start_not_verified',
    { proxy: without('sec-fetch', 'referer'), input: other('/nowhere') },
  ],
  'a proxy that rewrites Host, and a CDN that removes Sec-Fetch-*': [
    'broken host_rewritten',
    { proxy: both(rewritingHost, without('sec-fetch')), strategy: { callbackURL: CALLBACK } },
  ],
  'a proxy that rewrites Host': [
    'differs host_rewritten',
    { proxy: rewritingHost, strategy: { callbackURL: CALLBACK } },
  ],
  'a callbackURL of development': [
    'differs callback_url_differs',
    { strategy: { callbackURL: `http://localhost:3000${CALLBACK}` } },
  ],
  'a callbackURL of development, and no Sec-Fetch-*': [
    'broken callback_url_differs',
    { strategy: { callbackURL: `http://localhost:3000${CALLBACK}` }, proxy: without('sec-fetch') },
  ],
  'a CDN that removes Sec-Fetch-*': ['differs sec_fetch_removed', { proxy: without('sec-fetch') }],
  'a proxy that removes Referer': ['differs referer_removed', { proxy: without('referer') }],
  'a proxy that replaces Accept': [
    'broken accept_rewritten',
    { proxy: { request: (sent) => void Object.assign(sent, { accept: '*/*' }) } },
  ],
  'a cache that keeps the start': ['broken start_cached', { proxy: caching() }],
  'a CDN that replaces Cache-Control': [
    'differs no_store_missing',
    { proxy: setting('cache-control', 'public, max-age=60') },
  ],
  'a proxy that adds a Referrer-Policy': [
    'differs referrer_policy',
    { proxy: setting('referrer-policy', 'same-origin') },
  ],
  'a firewall that answers scripts': [
    'differs way_back_unknown',
    { proxy: { answer: ({ headers }) => (headers['sec-fetch-mode'] === 'cors' ? [403, 'No scripts'] : undefined) } },
  ],
  'a CDN that removes Sec-Purpose': ['differs prefetch_starts', { proxy: without('sec-purpose') }],
}

const callbacks: Record<string, [code: string, Deployment]> = {
  'a single page at its path': [
    'broken callback_single_page',
    {
      proxy: { answer: ({ url }) => (url.startsWith('/auth') && !url.startsWith(CALLBACK) ? undefined : [200, PAGE]) },
    },
  ],
  'nothing at its path': ['broken callback_not_found', { input: other('/auth/social/callback') }],
  'another page at its path': [
    'broken callback_other_page',
    middleware((req, res, next) => (req.path === CALLBACK ? res.send(PAGE) : next())),
  ],
  'a login wall': [
    'broken callback_wall',
    middleware((req, res, next) => (req.path === CALLBACK ? res.redirect('/sign-in') : next())),
  ],
  'an error before the login': [
    'broken callback_error',
    middleware((req, _res, next) => (req.path === CALLBACK ? next(new Error('no database')) : next())),
  ],
  'a redirect to a slash at the end': [
    'broken callback_redirects',
    {
      proxy: {
        answer: ({ url }) =>
          url.startsWith(CALLBACK) ? [301, '', { location: url.replace('callback', 'callback/') }] : undefined,
      },
    },
  ],
  'a redirect to www': [
    'broken callback_redirects',
    {
      proxy: {
        answer: ({ url }) =>
          url.startsWith(CALLBACK) ? [301, '', { location: `https://www.app.example${url}` }] : undefined,
      },
    },
  ],
  'a redirect without the key': [
    'broken query_lost',
    {
      proxy: {
        answer: ({ url }) => (url.startsWith(CALLBACK) ? [301, '', { location: '/auth/callback/' }] : undefined),
      },
    },
  ],
  'a rewrite without the key': ['broken query_lost', { proxy: { path: (url) => url.replace(/\?.*/, '') } }],
  'a cache that ignores the query': ['broken query_lost', { proxy: cachingCallbacks() }],
  'a limit that the probes meet': ['differs callback_rate_limited', { proxy: limiting(CALLBACK, 4) }],
  'another path than callbackURL': [
    'broken callback_path',
    {
      strategy: { callbackURL: '/auth/callback2' },
      routes: (app, passport) => void app.use('/auth', authenticate(passport)),
    },
  ],
  'the route of the start': ['broken callback_path', { input: other('/auth') }],
  'a path that is guessed wrongly': [
    'differs redirect_url_needed',
    { proxy: at(CALLBACK, [404]), input: () => ({ redirectURL: undefined }) },
  ],
  'another host': [
    'broken hosts_differ',
    { input: () => ({ redirectURL: new URL(`http://127.0.0.1${CALLBACK}`).href }) },
  ],
  'another strategy': [
    'broken context_mismatch',
    {
      routes: (app, passport, strategy) => {
        passport.use('other', new Strategy({ ...strategy, callbackURL: '/other', name: 'other' }, () => ({})))
        app.get('/auth', passport.authenticate('other'))
        app.get(CALLBACK, authenticate(passport))
      },
    },
  ],
  'a guest for each request': [
    'broken user_changed',
    middleware((req, _res, next) => {
      Object.assign(req, { user: { id: Math.random() } })
      next()
    }),
  ],
}

const cookies: Record<string, [code: string, Deployment]> = {
  'Secure, without trust proxy': ['broken cookie_missing', { secure: true, trustProxy: 0 }],
  'removed by a proxy': ['broken cookie_missing', { proxy: setting('set-cookie', undefined) }],
  'that is removed at once': ['broken cookie_missing', { proxy: removingAtOnce }],
  'SameSite=Strict': ['broken cookie_strict', { session: { cookie: { sameSite: 'strict' } } }],
  'of another host': ['broken cookie_host', { session: { cookie: { domain: 'app.example' } } }],
  'of another path': ['broken cookie_path', { proxy: changingCookies((line) => line.replace('Path=/', 'Path=/app')) }],
  'with a prefix whose path a proxy changes': [
    'broken cookie_prefix',
    {
      secure: true,
      cookieKeys: () => KEYS,
      session: 'none',
      callback: { session: false },
      proxy: changingCookies((line) => line.replace('Path=/', 'Path=/auth')),
    },
  ],
  'with a prefix, without Secure': ['broken cookie_prefix', { session: { name: '__Secure-sid' } }],
  'SameSite=None, without Secure': ['broken cookie_none', { session: { cookie: { sameSite: 'none', secure: false } } }],
  'with a maxAge in seconds': ['broken cookie_short_lived', { session: { cookie: { maxAge: 36_000 } } }],
  'that has expired when it comes': ['broken cookie_short_lived', { session: { cookie: { maxAge: 600 } } }],
  "without Secure, by 'auto' without trust proxy": [
    'differs cookie_not_secure',
    { secure: true, trustProxy: 0, session: { cookie: { secure: 'auto' } } },
  ],
  'beside another, each lost in its own way': ['broken login_lost', { proxy: needingItsCookie }],
  'removed from requests': ['broken login_lost', { proxy: without('cookie') }],
  'that a proxy drops beside another': [
    'broken login_lost',
    { ...middleware(adding), proxy: changingCookies((line) => (line.startsWith('csrf') ? line : 'a=b')) },
  ],
  'in one line with another': ['broken login_lost', { ...middleware(adding), proxy: joiningCookies }],
  'of a store that forgets': ['broken login_lost', { session: { store: new Forgetful() } }],
  'of sessions in two memories, by connection': ['broken processes_apart', { processes: 2, proxy: inTurn() }],
  'of two keys': [
    'broken processes_apart',
    {
      processes: 2,
      proxy: inTurn(),
      session: 'none',
      callback: { session: false },
      cookieKeys: (process) => [KEYS[process] ?? ''],
    },
  ],
}

const exchanges: Record<string, [code: string, Deployment]> = {
  'a provider that is down': ['broken provider_unreachable', { strategy: { baseURL: 'http://localhost:1/api/v1' } }],
  'a provider that is no API': [
    'broken provider_bad_response',
    { provider: (provider) => provider.setMode({ htmlAtStatus200: true }) },
  ],
  'a provider that does not answer': [
    'broken provider_timeout',
    { strategy: { timeout: 300 }, provider: (provider) => provider.failNext('authorize', { hang: true }) },
  ],
  'a provider that limits': [
    'differs provider_rate_limited',
    { provider: (provider) => provider.failNext('authorize', { status: 429, body: '' }) },
  ],
  'a proxy with a shorter time limit than the login': [
    'broken callback_gateway',
    {
      proxy: { timeLimit: 150 },
      strategy: { timeout: 500 },
      provider: (provider) => provider.failNext('authorize', { hang: true }),
    },
  ],
  'a provider that exchanges anything': [
    'broken invented_key_accepted',
    {
      provider: (provider) => provider.failNext('authorize', { body: '{"access_token":"a"}' }),
      callback: { session: false },
      strategy: { skipUserProfile: true },
    },
  ],
  'tabBinding, and a callback that takes no form': [
    'broken callback_not_found',
    {
      strategy: { tabBinding: true },
      routes: (app, passport) => {
        app.get('/auth', authenticate(passport))
        app.get(CALLBACK, authenticate(passport))
      },
    },
  ],
}

const rows = Object.entries({ starts, headers, callbacks, cookies, exchanges }).flatMap(([part, deployments]) =>
  Object.entries(deployments).map(([title, [finding, deployment]]) => ({ part, title, finding, deployment })),
)

test('the broken applications are many', () => expect(rows.length).toBeGreaterThanOrEqual(70))

test.each(rows)('$part: $title is $finding', async ({ finding, deployment }) => {
  const { told, exchanges } = await examine(deployment)
  expect(told.filter((line) => !line.startsWith('good'))).toStrictEqual([finding])
  expect(exchanges).toBeLessThanOrEqual(1)
})

test('a callback at another origin of the host is examined, and the other origin is told of', async () => {
  const { origin } = await deploy({})
  const other = await deploy({})
  const { told } = await examineAt(origin, { redirectURL: `${other.origin}${CALLBACK}` })
  expect(told.filter((line) => !line.startsWith('good'))).toStrictEqual(['differs origins_differ', 'broken login_lost'])
})
