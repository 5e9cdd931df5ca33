import { isIP } from 'node:net'
import { isValid, isValidCIDR } from 'ipaddr.js'

export type Environment = Readonly<Record<string, string | undefined>>

const NETWORKS = ['loopback', 'linklocal', 'uniquelocal']
const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
const HOST_NAME = /^(?=.*[a-z])[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*$/i
const MIN_SECRET_LENGTH = 16

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
    const value = this.text(name, false) ?? fallback
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
    if (url === undefined || /\/v1$/.test(url)) return url
    return this.#wrong(`${name} must end in /v1, such as https://social.example/api/v1.`)
  }

  callbackURL(name: string): string | undefined {
    const url = this.#webURL(name)
    if (url === undefined || new URL(url).pathname !== '/') return url
    return this.#wrong(`${name} must have a path, such as /auth/social-login/callback.`)
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
    if (/^\d$/.test(value)) return Number(value)
    const proxies = value.split(',').map((proxy) => proxy.trim())
    const isProxy = (proxy: string): boolean => NETWORKS.includes(proxy) || isValid(proxy) || isValidCIDR(proxy)
    if (!proxies.every(isProxy)) {
      this.#wrong(
        `${name} must be a number of proxies, or addresses such as 10.0.0.0/8, or any of ${NETWORKS.join(', ')}.`,
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
    if (url === undefined || !url.startsWith('http:') || LOOPBACK.test(new URL(url).hostname)) return url
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
