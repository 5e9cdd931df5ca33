/**
 * What may answer instead of the login, at its start and at its callback. `{}` stands for what was seen. What is neither
 * `good` nor `differs` (it works, or keeps out the doctor and perhaps no one else) is broken.
 */
const INSTEAD = {
  single_page:
    'The single page answers, as at any unknown path, and not the login. {} If this is not the path of the route, give that. Else exempt it from what serves the single page: run_worker_first (Cloudflare), src/setupProxy.js (create-react-app), a separate location before try_files (nginx).',
  other_page:
    'A page answers that is not the login (status {}). Either this is not the path of the route, or something before it answers: a login wall, a maintenance page, a cache.',
  intercepted:
    'A script reaches the login, and a navigation gets another answer (status {}): a waiting room, a challenge, a login wall or a cache. Exempt this path from it.',
  not_found:
    'There is nothing at this address (status {}). Compare it with the path of the route and of its router, and with the paths that a proxy passes on or strips.',
  redirects:
    'It is redirected to {}. Use that address itself, in the link to the start, or as callbackURL and registered redirect URL: a redirect may lose the key or the cookies. If that address redirects back, remove one of the two redirects.',
  wall: 'Something asks for another login first, or changes the path ({}). Exempt the start and the callback from it: a login wall, a password of the host, a language in the path. Or another route of the application answers there first: mount the login before it.',
  blocked:
    'differs: This program is refused (status {}): by a firewall, by the protection of a form, or because of the Host. Users may still get in. Let the User-Agent "passport-social-login/... (doctor)" pass, or run this where it is not refused.',
  rate_limited: 'differs: A rate limit keeps this program out (status {}): wait, and run this again.',
  gateway:
    'A proxy or host answers in place of the application (status {}). If the log of the application has this request, its answer takes longer than the time limit of the proxy, which must be more than that of the login (option timeout); else the application does not run, or is not reached.',
  error:
    'The application fails before the login answers (status {}). Its log has the error: often passport.session() without a session before it, or a session store that is not reached.',
}
export type Instead = keyof typeof INSTEAD
type Part = 'start' | 'callback'

/** By what is examined. */
const FINDINGS = {
  Application: {
    app_unreachable: '{}',
    app_certificate: '{}',
    app_plain_http:
      'differs: It is reached by plain http. Browsers then leave out the headers that tell where a request comes from, and keep no Secure cookie: serve it by https. Nothing more was examined.',
    app_ended: 'differs: The examination ended early, after {}. The rest was not examined.',
  },
  Start: {
    start_good: 'good: It redirects to the login page of the application id {}.',
    start_is_callback: 'It is taken for a callback: give the address at which a login starts as --app.',
    mark_missing:
      'differs: It redirects to a login page at {}, but without the header Social-Login, so nothing more can be examined. If a proxy or host removes headers that it does not know, let this one pass. Outside of Express, the strategy needs req.res (see "Other frameworks").',
    app_id_differs: 'It redirects to the login page of another application id: {}. Correct clientID.',
    provider_differs: 'It redirects to another provider: {}. Correct baseURL.',
    start_cached:
      'Two visitors get the same cookie, and so the same login: a cache of a CDN, a proxy or a framework keeps the start. Exempt the start and the callback (Next: dynamic = "force-dynamic").',
    no_store_missing: 'differs: Something replaces Cache-Control: no-store, and a cache may keep the start. Exempt it.',
    referrer_policy:
      'differs: Something adds a Referrer-Policy to its redirect. Firefox then reports some callbacks as typed addresses, and they are refused (callback_forged). Exempt the start.',
    headers_good: 'good: The headers that show where a request comes from arrive.',
    headers_removed:
      'Neither Sec-Fetch-Site nor Referer arrives, so users get the confirm page, and then start_forbidden. A CDN or proxy must pass on Sec-Fetch-*, Origin and Referer.',
    start_not_verified:
      'A link on a page of the application counts as one from elsewhere, because no header shows where it comes from. A CDN or proxy must pass on Sec-Fetch-*, Origin, Referer and Host. With --redirect-url, more can be examined.',
    host_rewritten:
      'By its Referer, a page of {} is not taken for one of the application. Either a proxy rewrites Host (nginx: proxy_set_header Host $host), or callbackURL names another origin. Give the whole callbackURL, with the origin that browsers show. Until then, users whom the provider redirects without asking are refused (callback_forged).',
    callback_url_differs:
      'The application takes {} for its own origin: from callbackURL, or from a Host that a proxy rewrites. Give the whole callbackURL, with the origin that browsers show. Until then, users whom the provider redirects without asking are refused (callback_forged).',
    accept_rewritten: 'Accept does not arrive as sent: a navigation looks like a preload. A proxy must pass it on.',
    sec_fetch_removed:
      'differs: Sec-Fetch-* does not arrive: all browsers are checked as old ones, by the Referer alone, and the way back cannot be tried. A CDN or proxy must pass these headers on.',
    referer_removed: 'differs: The Referer does not arrive, which shows foreign callbacks. A proxy must pass it on.',
    prefetch_starts: 'differs: Sec-Purpose does not arrive, so a prefetch starts a login. A proxy must pass it on.',
  },
  Callback: {
    callback_good: 'good: {} reaches the login.',
    redirect_url_needed: 'differs: The way back was not examined: give the registered redirect URL as --redirect-url.',
    hosts_differ: 'Start and callback are on two hosts, which share no cookie: link to the start on {}.',
    origins_differ: 'differs: Start and callback are on two origins of one host: link to the start on {}.',
    callback_plain_http: 'differs: The redirect URL is plain http: register it with https.',
    callback_path:
      '{} is not the path of callbackURL: the login takes a callback there for a start, or refuses it. Give the registered redirect URL as callbackURL, or, where a proxy rewrites paths, the path that arrives to passport.authenticate(). Start and callback need a route each.',
    query_lost:
      'The key does not arrive: a redirect, rewrite or cache drops the query. Keep it, or register the target.',
  },
  'Way back': {
    cookie_missing:
      'No cookie comes with the start. If the log has SESSION_COOKIE_NOT_SET, the application does not know of https: it needs app.set("trust proxy", 1), and a proxy that sends X-Forwarded-Proto. Else a proxy, CDN or cache removes Set-Cookie.',
    cookie_strict:
      'Browsers do not send {} on the way back (SameSite=Strict): set sameSite: "lax", or use a CookieStore.',
    cookie_host: 'Browsers do not send {} to the callback, because its Domain is another host: leave domain out.',
    cookie_path: 'Browsers do not send {} to the callback, because of its Path: set path: "/".',
    cookie_prefix: 'Browsers drop {}: __Host- needs Secure, Path=/ and no Domain; __Secure- needs Secure.',
    cookie_none: 'Browsers drop {}, because SameSite=None needs Secure: set sameSite: "lax".',
    cookie_short_lived: '{} ends within a minute, before users return: maxAge is in milliseconds.',
    cookie_not_secure:
      'differs: The login needs a cookie without Secure: set secure: "auto", and app.set("trust proxy", 1).',
    way_back_good: 'good: Six callbacks, each over its own connection, found the login of this browser.',
    way_back_unknown:
      'differs: Whether the login is kept was not examined: something else answers requests of scripts.',
    login_lost:
      'The cookies are returned, but the login is not found. The line of login_not_started in the log (NODE_DEBUG=passport-social-login) shows why: no cookie arrived (a proxy drops them, or keeps one of several), or the session is not known (its store fails or forgets, or its secret differs).',
    processes_apart:
      'Of six callbacks of one login, {} found it: several processes, each with its own sessions in memory, or with its own secret or keys. Give all the same store and the same keys, or route each browser to one process.',
  },
  Exchange: {
    whole_way: 'good: The provider refused an invented key, so the whole way works; but this cannot test the secret.',
    invented_key_accepted: 'The provider exchanged an invented key: anyone can sign in as someone.',
  },
}

type Codes<T> = T extends unknown ? keyof T : never
export type AppCode = Codes<(typeof FINDINGS)[keyof typeof FINDINGS]> | `${Part}_${Instead}`

/** @param seen what stands for `{}` */
export function findingOf(code: AppCode, seen: string) {
  const [check = '', text = ''] = [...sentences()].find(([, , name]) => name === code) ?? []
  const level = (['good', 'differs'] as const).find((each) => text.startsWith(`${each}: `))
  const message = text.slice(level ? level.length + 2 : 0).replaceAll('{}', () => seen)
  return { level: level ?? ('broken' as const), code, check, message }
}

/** Each with what is examined, and with its code. */
export function* sentences(): Generator<[check: string, sentence: string, code: string]> {
  for (const [check, told] of Object.entries(FINDINGS))
    for (const [code, sentence] of Object.entries(told)) yield [check, sentence, code]
  for (const [name, sentence] of Object.entries(INSTEAD)) {
    yield ['Start', sentence, `start_${name}`]
    yield ['Callback', sentence, `callback_${name}`]
  }
}
