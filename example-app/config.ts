import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the environment says. See `.env.example`. */
export interface Config {
  readonly port: number
  /** The fake provider's port; undefined when there is a real provider. */
  readonly fakeProviderPort: number | undefined
  readonly provider: ProviderConfig
  /** The first signs and seals; the others are still believed. */
  readonly sessionSecrets: readonly [string, ...string[]]
  readonly databaseURL: string | undefined
  readonly dataDir: string
  readonly trustProxy: string
}

export interface ProviderConfig {
  readonly baseURL: string | undefined
  readonly clientID: string | undefined
  readonly clientSecret: string | undefined
  readonly callbackURL: string | undefined
  readonly profileEndpoint: 'user/me' | 'get_user_info'
}

type Environment = Readonly<Record<string, string | undefined>>

/** Every problem of the environment at once, fit to be shown: it names variables and never shows a secret. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The environment is not right:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

const CALLBACK_PATH = '/auth/social-login/callback'
const MIN_SECRET_LENGTH = 16

/** @throws ConfigError with every variable that is missing or wrong */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const reader = new EnvironmentReader(environment, problems)
  const baseURL = reader.baseURL('SOCIAL_BASE_URL')
  const isReal = environment['SOCIAL_BASE_URL'] !== undefined && environment['SOCIAL_BASE_URL'] !== ''
  const databaseURL = reader.postgresURL('DATABASE_URL')
  const config = {
    port: reader.port('PORT', 3000),
    fakeProviderPort: isReal ? undefined : reader.port('PROVIDER_PORT', 4400),
    provider: {
      baseURL,
      clientID: reader.text('SOCIAL_CLIENT_ID', isReal && 'a real provider (SOCIAL_BASE_URL)'),
      clientSecret: reader.text('SOCIAL_CLIENT_SECRET', isReal && 'a real provider (SOCIAL_BASE_URL)'),
      callbackURL: reader.callbackURL('SOCIAL_CALLBACK_URL'),
      profileEndpoint: reader.profileEndpoint('SOCIAL_PROFILE_ENDPOINT'),
    },
    databaseURL,
    dataDir: reader.text('DATA_DIR', false) ?? 'data',
    trustProxy: reader.text('TRUST_PROXY', false) ?? 'loopback',
  }
  const secrets = reader.secrets('SESSION_SECRET', databaseURL !== undefined)
  if (problems.length > 0) throw new ConfigError(problems)
  return { ...config, sessionSecrets: secrets ?? [ownSecret(config.dataDir)] }
}

/** The callback's address when the environment gives none: this machine, for development. */
export function defaultCallbackURL(port: number): string {
  return `http://localhost:${port}${CALLBACK_PATH}`
}

/** One process on one machine needs no secret from outside: it makes one, and finds it again after a restart. */
function ownSecret(dataDir: string): string {
  const file = join(dataDir, 'session-secret')
  const draft = `${file}.${process.pid}`
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (!existsSync(file)) {
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
    // A link appears whole or not at all, and never in place of another: of two processes the first one wins.
    attempt(() => linkSync(draft, file))
    rmSync(draft)
  }
  return readFileSync(file, 'utf8')
}

function attempt(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

class EnvironmentReader {
  readonly #environment: Environment
  readonly #problems: string[]

  constructor(environment: Environment, problems: string[]) {
    this.#environment = environment
    this.#problems = problems
  }

  /** An empty variable is one that is not set. `neededFor` says what it is needed for, if it is. */
  text(name: string, neededFor: string | false): string | undefined {
    const value = this.#environment[name]?.trim()
    if (value) return value
    if (neededFor !== false) this.#problems.push(`${name} is missing: ${neededFor} needs it.`)
    return undefined
  }

  port(name: string, fallback: number): number {
    const value = this.text(name, false)
    if (value === undefined) return fallback
    const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
    if (!(port <= 65_535)) this.#problems.push(`${name} must be a port from 0 to 65535 (0: a free one).`)
    return port
  }

  baseURL(name: string): string | undefined {
    const url = this.#url(name, ['https:', 'http:'])
    if (url === undefined || /\/v1$/.test(url)) return url
    return this.#wrong(`${name} must end in /v1, such as https://social.example/api/v1.`)
  }

  callbackURL(name: string): string | undefined {
    const url = this.#url(name, ['https:', 'http:'])
    if (url === undefined || new URL(url).pathname !== '/') return url
    return this.#wrong(`${name} must have a path, such as ${CALLBACK_PATH}.`)
  }

  postgresURL(name: string): string | undefined {
    return this.#url(name, ['postgres:', 'postgresql:'])
  }

  profileEndpoint(name: string): ProviderConfig['profileEndpoint'] {
    const value = this.text(name, false) ?? 'user/me'
    if (value === 'user/me' || value === 'get_user_info') return value
    this.#problems.push(`${name} must be user/me or get_user_info.`)
    return 'user/me'
  }

  secrets(name: string, isShared: boolean): readonly [string, ...string[]] | undefined {
    const value = this.text(name, isShared && 'a database that several processes share (DATABASE_URL)')
    const [first, ...others] = value?.split(',').map((secret) => secret.trim()) ?? []
    if (first === undefined) return undefined
    if ([first, ...others].some((secret) => secret.length < MIN_SECRET_LENGTH)) {
      return this.#wrong(`${name} must have at least ${MIN_SECRET_LENGTH} characters (each, if several with commas).`)
    }
    return [first, ...others]
  }

  #url(name: string, protocols: readonly string[]): string | undefined {
    const value = this.text(name, false)
    if (value === undefined) return undefined
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
    const examples = protocols.map((protocol) => `${protocol}//`).join(' or ')
    return this.#wrong(`${name} must be an absolute URL that begins with ${examples}.`)
  }

  #wrong(problem: string): undefined {
    this.#problems.push(problem)
    return undefined
  }
}
