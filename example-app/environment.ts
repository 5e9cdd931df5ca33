import { isIP } from 'node:net'
import { isValidCIDR } from 'ipaddr.js'

export type Environment = Readonly<Record<string, string | undefined>>

// What Express would read as a pattern is no character of a callback path here.
const PLAIN_PATH = /^(?:\/[\w.~-]+)+\/?$/
const OWN_PATHS = [
  '/login',
  '/login/confirm',
  '/logout',
  '/auth/social-login',
  '/profile',
  '/profile/reload',
  '/account',
  '/account/link',
  '/account/unlink',
  '/account/sign-out-everywhere',
  '/healthz',
  '/style.css',
  '/guard.js',
  '/icon.svg',
]
const NETWORKS = ['loopback', 'linklocal', 'uniquelocal']
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
const HOST_NAME = /^(?=.*[a-z])[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*$/i
export const MIN_SECRET_LENGTH = 16

/** Reads variables, and collects what is wrong with them: in words that name a variable and never show a secret. */
export class EnvironmentReader {
  readonly problems: string[] = []
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** An empty variable is one that is not set. `neededFor` says what it is needed for, if it is. */
  text(name: string, neededFor: string | false): string | undefined {
    const value = this.#environment[name]?.trim()
    if (value) return value
    if (neededFor !== false) this.problems.push(`${name} is missing: ${neededFor} needs it.`)
    return undefined
  }

  host(name: string, fallback: string): string {
    const value = (this.text(name, false) ?? fallback).toLowerCase()
    if (isIP(value) === 0 && !HOST_NAME.test(value)) {
      this.#wrong(`${name} must be a host name or an address, without a port, such as localhost, 0.0.0.0 or ::.`)
    }
    return value
  }

  port(name: string, fallback: number): number {
    const value = this.text(name, false)
    if (value === undefined) return fallback
    const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
    if (!(port <= 65_535)) this.problems.push(`${name} must be a port from 0 to 65535 (0: a free one).`)
    return port
  }

  baseURL(name: string): string | undefined {
    const url = this.#webURL(name)
    if (url === undefined || (/\/v1$/.test(url) && !/[?#]/.test(url))) return url
    return this.#wrong(`${name} must end in /v1, such as https://social.example/api/v1.`)
  }

  callbackURL(name: string): string | undefined {
    const url = this.#webURL(name)
    if (url === undefined) return undefined
    const { pathname, hash } = new URL(url)
    if (!PLAIN_PATH.test(pathname) || hash !== '') {
      return this.#wrong(
        `${name} must have a path of letters, digits and -._~ and no fragment, such as /auth/social-login/callback.`,
      )
    }
    if (!OWN_PATHS.includes(pathname.toLowerCase().replace(/\/$/, ''))) return url
    return this.#wrong(`${name} must have another path: ${pathname} is a page of the application already.`)
  }

  /** The fake provider's people have no passwords: it is never meant where others come by https. */
  fakeProviderIsMeant(baseURL: string, callbackURL: string): void {
    const callback = this.text(callbackURL, false) ?? ''
    // As URL parsers read it, whatever its case.
    const isPublic = URL.canParse(callback) && new URL(callback).protocol === 'https:'
    if (!isPublic || this.text(baseURL, false) !== undefined) return
    this.problems.push(
      `${baseURL} is missing: with the fake provider, ${callbackURL} is an http address of this machine.`,
    )
  }

  postgresURL(name: string): string | undefined {
    return this.#url(name, ['postgres:', 'postgresql:'])
  }

  profileEndpoint(name: string): 'user/me' | 'get_user_info' {
    const value = this.text(name, false) ?? 'user/me'
    if (value === 'user/me' || value === 'get_user_info') return value
    this.problems.push(`${name} must be user/me or get_user_info.`)
    return 'user/me'
  }

  trustProxy(name: string): number | string[] {
    const value = this.text(name, false) ?? 'loopback'
    if (/^\d{1,2}$/.test(value)) return Number(value)
    const proxies = value.split(',').map((proxy) => proxy.trim())
    if (!proxies.every(isProxy)) {
      this.#wrong(
        `${name} must be a number of proxies, or addresses such as 10.0.0.0/8 (not of everybody), or any of ${NETWORKS.join(', ')}.`,
      )
    }
    return proxies
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

  /** Whoever can read the network reads the secret, the keys and the tokens of plain http. */
  #webURL(name: string): string | undefined {
    const url = this.#url(name, ['https:', 'http:'])
    if (url === undefined) return undefined
    const { protocol, hostname, username, password } = new URL(url)
    if (username !== '' || password !== '') return this.#wrong(`${name} must have no user name and no password.`)
    if (protocol === 'https:' || LOOPBACK.test(hostname)) return url
    return this.#wrong(`${name} must begin with https:// (http:// is for this machine).`)
  }

  #url(name: string, protocols: readonly string[]): string | undefined {
    const value = this.text(name, false)
    if (value === undefined) return undefined
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
    const examples = protocols.map((protocol) => `${protocol}//`).join(' or ')
    return this.#wrong(`${name} must be an absolute URL that begins with ${examples}.`)
  }

  #wrong(problem: string): undefined {
    this.problems.push(problem)
    return undefined
  }
}

function isProxy(value: string): boolean {
  const [address = '', bits] = value.split('/')
  if (NETWORKS.includes(value)) return true
  if (isIP(address) === 0 || address.includes('%')) return false
  return bits === undefined || (isValidCIDR(value) && Number(bits) > 0)
}
