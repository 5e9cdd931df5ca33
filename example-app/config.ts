import { z } from 'zod'

/** The routes at which the logins of a community start. */
export interface CommunityPaths {
  readonly startPath: string
  /** The start of a login that is added to the signed-in account. */
  readonly linkPath: string
}

/** The paths of the first community, and of the second. */
export const COMMUNITY_PATHS: readonly [CommunityPaths, CommunityPaths] = [
  { startPath: '/auth/social-login', linkPath: '/account/link' },
  { startPath: '/auth/social-login-2', linkPath: '/account/link-2' },
]

/** All routes of the application except the home page and the callbacks. */
export const OWN_PATHS = [
  ...COMMUNITY_PATHS.flatMap(({ startPath, linkPath }) => [startPath, linkPath]),
  ...['/login', '/login/confirm', '/logout', '/profile', '/profile/reload', '/account', '/account/unlink'],
  ...['/account/sign-out-everywhere', '/healthz', '/style.css', '/back.js', '/icon.svg'],
]

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
const DISPLAY_NAME = /^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{N} .,&'’+!()-]{1,40}$/u
// Excludes the characters that Express would treat as a route pattern.
const PLAIN_PATH = /^(?:\/[\w.~-]+)+\/?$/
const DRAIN_RULE = 'must be a number of seconds from 0 to 30, such as 1.5'
const WEB_RULE =
  'must be an absolute URL that begins with https:// (http:// is only for this machine), without a password'
const CALLBACK_RULE =
  'must have a path of letters, digits and -._~ that is no page of the application, such as /auth/social-login/callback'

const wholeNumber = (min: number, max: number, rule: string) =>
  z.coerce.number(rule).int(rule).min(min, rule).max(max, rule)
const port = wholeNumber(0, 65_535, 'must be a port from 0 to 65535 (0: a free one)')
const poolSize = wholeNumber(1, 100, 'must be a number of connections from 1 to 100')
const webURL = z.string().refine(isSafeURL, WEB_RULE)
const network = z.union([z.enum(['loopback', 'linklocal', 'uniquelocal']), z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
// Express's setting of this name: the number of proxies in front, or their addresses.
const trustProxy = z.union(
  [z.coerce.number().int().min(0).max(10), z.string().transform(commaSeparated).pipe(z.array(network))],
  'must be a number of proxies (10 at most), or addresses and networks such as 10.0.0.0/8',
)
const secrets = z.array(z.string().min(16, 'must have at least 16 characters (each, if several with commas)')).max(10)

// A second set, with the prefix SOCIAL2_, describes a second community.
const COMMUNITY = z.object({
  BASE_URL: webURL.regex(/^[^?#]*\/v1\/?$/, 'must end in /v1, such as https://social.example/api/v1').optional(),
  CLIENT_ID: z.string().optional(),
  CLIENT_SECRET: z.string().optional(),
  NAME: z
    .string()
    .regex(DISPLAY_NAME, "must have 1 to 40 letters, digits, spaces and any of . , & ' + ! ( ) -")
    .optional(),
  CALLBACK_URL: webURL.refine(isCallback, CALLBACK_RULE).optional(),
  PROFILE_ENDPOINT: z.enum(['user/me', 'get_user_info', 'auto'], 'must be user/me, get_user_info or auto').optional(),
  EXCHANGE_METHOD: z.enum(['post', 'get'], 'must be post or get').optional(),
})

const APPLICATION = z.object({
  HOST: z.string().toLowerCase().default('localhost'),
  PORT: port.default(3000),
  PROVIDER_PORT: port.default(4400),
  PROVIDER2_PORT: port.optional(),
  SESSION_SECRET: z.string().transform(commaSeparated).pipe(secrets).optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: 'must begin with postgres://' }).optional(),
  DATABASE_POOL_SIZE: poolSize.default(10),
  DATA_DIR: z.string().default('data'),
  TRUST_PROXY: trustProxy.default(['loopback']),
  DRAIN_SECONDS: z.coerce.number(DRAIN_RULE).min(0, DRAIN_RULE).max(30, DRAIN_RULE).default(1.5),
})

/** What the environment says about a community. It may say nothing of this application's fake provider. */
export type CommunityConfig = z.infer<typeof COMMUNITY>

/** The configuration, read from environment variables. `.env.example` explains each of them. */
export interface Config extends z.infer<typeof APPLICATION> {
  /** One community, or two. */
  readonly communities: readonly [CommunityConfig, CommunityConfig?]
}

type Environment = Readonly<Record<string, string | undefined>>

/** Reports all problems of the environment together. The message names variables but never contains a secret. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The environment is not valid:\n${problems.map((problem) => `  - ${problem}.`).join('\n')}`)
  }
}

/** @throws ConfigError with every variable that is missing or wrong */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const application = read(APPLICATION, '', environment, problems)
  const first = read(COMMUNITY, 'SOCIAL_', environment, problems)
  const second = read(COMMUNITY, 'SOCIAL2_', environment, problems)
  problems.push(...missingIn(environment))
  const hasSecond = second?.BASE_URL !== undefined
  if (application && first && hasSecond) problems.push(...conflictsOf(first, second, application.PORT))
  if (problems.length > 0 || !application || !first) throw new ConfigError(problems)
  return { ...application, communities: hasSecond ? [first, second] : [first] }
}

/** Reads the variables with a prefix. An empty one counts as not set. */
function read<T>(schema: z.ZodType<T>, prefix: string, environment: Environment, problems: string[]): T | undefined {
  const given = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith(prefix) && isGiven(value) ? [[name.slice(prefix.length), value.trim()]] : [],
  )
  const { data, error } = schema.safeParse(Object.fromEntries(given))
  for (const { path, message } of error?.issues ?? []) problems.push(`${prefix}${String(path[0])} ${message}`)
  return data
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== ''
}

/** The variables without which others mean nothing: they have been forgotten or misspelt. */
function missingIn(environment: Environment): string[] {
  const has = (name: string): boolean => isGiven(environment[name])
  const needs = (name: string, others: readonly string[]): string[] => {
    const given = others.filter(has)
    return has(name) || given.length === 0
      ? []
      : [`${name} is missing: ${given.join(' and ')} cannot be used without it`]
  }
  const callbackURL = environment['SOCIAL_CALLBACK_URL']?.trim() ?? ''
  return [
    ...needs('SESSION_SECRET', ['DATABASE_URL']),
    ...['SOCIAL', 'SOCIAL2'].flatMap((set) => [
      ...needs(`${set}_CLIENT_ID`, [`${set}_BASE_URL`]),
      ...needs(`${set}_CLIENT_SECRET`, [`${set}_BASE_URL`]),
    ]),
    ...needs('SOCIAL_BASE_URL', [
      ...['SOCIAL_NAME', 'SOCIAL_CLIENT_ID', 'SOCIAL_CLIENT_SECRET', 'SOCIAL2_BASE_URL'],
      // Anyone can sign in at the fake provider, so it must not serve a public application.
      ...(/^https:/i.test(callbackURL) ? ['SOCIAL_CALLBACK_URL'] : []),
    ]),
    ...needs(
      'SOCIAL2_BASE_URL',
      Object.keys(COMMUNITY.shape).map((name) => `SOCIAL2_${name}`),
    ),
  ]
}

/** What two communities must not have in common. */
function conflictsOf(first: CommunityConfig, second: CommunityConfig, port: number): string[] {
  const problems: string[] = []
  const [one, other] = callbackURLs([first, second], port).map((url) => new URL(url))
  if (one?.origin !== other?.origin) {
    problems.push('SOCIAL2_CALLBACK_URL must have the origin of SOCIAL_CALLBACK_URL: it is the same application')
  } else if (one && other && routeOf(one.pathname) === routeOf(other.pathname)) {
    problems.push('SOCIAL2_CALLBACK_URL must have another path than SOCIAL_CALLBACK_URL')
  }
  if (!first.BASE_URL || !second.BASE_URL) return problems
  const [here, there] = [new URL(first.BASE_URL), new URL(second.BASE_URL)]
  if (here.href.replace(/\/$/, '') === there.href.replace(/\/$/, '')) {
    problems.push('SOCIAL2_BASE_URL must be another community than SOCIAL_BASE_URL')
  } else if ((first.NAME ?? here.host) === (second.NAME ?? there.host)) {
    problems.push('SOCIAL2_NAME must differ from what pages call the first community (SOCIAL_NAME, or its host)')
  }
  return problems
}

/** The callback URLs of both communities. Those that are not configured are of one origin, too. */
export function callbackURLs([first, second]: Config['communities'], port: number): [string, string] {
  const [firstPaths, secondPaths] = COMMUNITY_PATHS
  const one = first.CALLBACK_URL ?? `http://localhost:${port}${firstPaths.startPath}/callback`
  return [one, second?.CALLBACK_URL ?? new URL(`${secondPaths.startPath}/callback`, one).href]
}

/** https except on this machine: over plain http, anyone on the network can read secrets, keys and tokens. */
function isSafeURL(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, hostname, username, password } = new URL(value)
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
  return isPrivate && username === '' && password === ''
}

function isCallback(value: string): boolean {
  if (!URL.canParse(value)) return true
  const { pathname, hash } = new URL(value)
  return PLAIN_PATH.test(pathname) && hash === '' && !/auth_key/i.test(value) && !OWN_PATHS.includes(routeOf(pathname))
}

/** Paths that match the same route in Express have the same result. */
function routeOf(path: string): string {
  return path.toLowerCase().replace(/\/$/, '')
}

function commaSeparated(value: string): string[] {
  return value.split(',').map((part) => part.trim())
}
