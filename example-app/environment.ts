import { isIP } from 'node:net'
import { callbackProblem } from './callback-path'
import { type LibraryOption, libraryProblem } from './library-options'
import { PROXIES_RULE, readProxies } from './trusted-proxies'

export type Environment = Readonly<Record<string, string | undefined>>

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
const HOST_NAME = /^(?=.*[a-z])[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*$/i
const MIN_SECRET_LENGTH = 16
// What the fake provider takes for an id or a secret.
const FAKE_CREDENTIAL = /^[\x21-\x7e]{1,200}$/

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

  /** A number of seconds, fractions of one included. @returns milliseconds */
  seconds(name: string, fallback: number, max: number): number {
    const value = this.text(name, false) ?? String(fallback)
    const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN
    if (!(seconds <= max)) this.#wrong(`${name} must be a number of seconds from 0 to ${max}, such as ${fallback}.`)
    return seconds * 1000
  }

  baseURL(name: string): string | undefined {
    const url = this.#webURL(name)
    if (url === undefined) return undefined
    if (/\/v1$/.test(url) && !/[?#]/.test(url)) return this.#asOption('baseURL', name, url)
    return this.#wrong(`${name} must end in /v1, such as https://social.example/api/v1.`)
  }

  /** The application's id or secret at the provider; with a real one, both are needed. */
  credential(name: string, option: 'clientID' | 'clientSecret', isReal: boolean): string | undefined {
    const value = this.text(name, isReal && 'a provider of your own (SOCIAL_BASE_URL)')
    if (value === undefined || isReal) return value && this.#asOption(option, name, value)
    if (FAKE_CREDENTIAL.test(value)) return value
    return this.#wrong(`${name} must have 1 to 200 visible ASCII characters: the fake provider takes no others.`)
  }

  callbackURL(name: string): string | undefined {
    const url = this.#webURL(name)
    if (url === undefined) return undefined
    const problem = callbackProblem(url)
    return problem === undefined ? this.#asOption('callbackURL', name, url) : this.#wrong(`${name} ${problem}`)
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
    return readProxies(value) ?? this.#wrong(`${name} ${PROXIES_RULE}`) ?? []
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

  /** What the library takes of it, too. */
  #asOption(option: LibraryOption, name: string, value: string): string | undefined {
    const problem = libraryProblem(option, name, value)
    return problem === undefined ? value : this.#wrong(problem)
  }

  #wrong(problem: string): undefined {
    this.problems.push(problem)
    return undefined
  }
}
