import { isIP } from 'node:net'
import * as ipaddr from 'ipaddr.js'
import { Strategy } from 'passport-social-login'
import { callbackProblem } from './auth/callback-path'

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
const HOST_NAME = /^(?=.*[a-z])[a-z\d_](?:[a-z\d_-]*[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]*[a-z\d_])?)*$/i
const DISPLAY_NAME = /^(?=.*[\p{L}\p{N}])[\p{L}\p{M}\p{N} .,&'’+!()-]{1,40}$/u
const MIN_SECRET_LENGTH = 16
const VALID_OPTIONS = {
  baseURL: 'https://social.example/api/v1',
  clientID: 'app',
  clientSecret: 'secret',
  callbackURL: '/auth/social-login/callback',
}
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']
const MAX_PROXIES = 10
// The largest private network is 10.0.0.0/8. A larger network would contain addresses of visitors.
const MIN_NETWORK_BITS = { ipv4: 8, ipv6: 16 }
const ALL_IPV4 = ipaddr.parse('::ffff:0.0.0.0')
const ALL_IPV4_BITS = 96
const PROXIES_RULE =
  `must be a number of proxies (${MAX_PROXIES} at most), or addresses and networks such as 10.0.0.0/8 ` +
  `(none larger than /${MIN_NETWORK_BITS.ipv4}, in IPv6 /${MIN_NETWORK_BITS.ipv6}), or any of ${NAMED_NETWORKS.join(', ')}: ` +
  'a trusted proxy can claim any visitor address.'

export type Environment = Readonly<Record<string, string | undefined>>

/** Reads environment variables and collects their problems. A problem names the variable but never contains a secret. */
export class EnvironmentReader {
  readonly problems: string[] = []
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  isSet(name: string): boolean {
    return this.text(name, false) !== undefined
  }

  /** An empty variable counts as not set. `neededFor` says what requires the variable, or false if it is optional. */
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
    return port <= 65_535 ? port : (this.#wrong(`${name} must be a port from 0 to 65535 (0: a free one).`) ?? fallback)
  }

  /** Reads a number of seconds, which may have decimals. @returns milliseconds */
  seconds(name: string, fallback: number, max: number): number {
    const value = this.text(name, false) ?? String(fallback)
    const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(value) ? Number(value) : Number.NaN
    if (!(seconds <= max)) this.#wrong(`${name} must be a number of seconds from 0 to ${max}, such as ${fallback}.`)
    return seconds * 1000
  }

  /** A name that pages show. No invisible characters, which could reverse or hide the text around it. */
  displayName(name: string): string | undefined {
    const value = this.text(name, false)
    if (value === undefined || DISPLAY_NAME.test(value)) return value
    return this.#wrong(
      `${name} must have 1 to 40 letters, digits, spaces and any of . , & ' + ! ( ) -, such as Social Example.`,
    )
  }

  baseURL(name: string): string | undefined {
    const url = this.#webURL(name)?.replace(/\/$/, '')
    if (url === undefined) return undefined
    if (/\/v1$/.test(url) && !/[?#]/.test(url)) return this.#asOption('baseURL', name, url)
    return this.#wrong(`${name} must end in /v1, such as https://social.example/api/v1.`)
  }

  /** The application's id or secret at a real provider, which requires both; false if there is none. */
  credential(name: string, option: 'clientID' | 'clientSecret', neededFor: string | false): string | undefined {
    if (neededFor === false) return undefined
    const value = this.text(name, neededFor)
    return value && this.#asOption(option, name, value)
  }

  callbackURL(name: string): string | undefined {
    const url = this.#webURL(name)
    if (url === undefined) return undefined
    const problem = callbackProblem(url)
    return problem === undefined ? this.#asOption('callbackURL', name, url) : this.#wrong(`${name} ${problem}`)
  }

  /** A variable without which others mean nothing: it has been forgotten or misspelt. */
  requireWith(name: string, others: readonly string[]): void {
    const given = others.filter((other) => this.isSet(other))
    if (this.isSet(name) || given.length === 0) return
    this.problems.push(`${name} is missing: ${given.join(' and ')} cannot be used without it.`)
  }

  /**
   * Anybody can sign in at the fake provider without a password, and its pages show the secrets of applications. So a
   * public https callback requires a real provider.
   */
  fakeProviderIsMeant(baseURL: string, callbackURL: string): void {
    const callback = this.text(callbackURL, false) ?? ''
    // Parsed, because the scheme may be in capitals.
    const isPublic = URL.canParse(callback) && new URL(callback).protocol === 'https:'
    if (this.isSet(baseURL) || !isPublic) return
    this.problems.push(
      `${baseURL} is missing: with the fake provider, ${callbackURL} is an http address of this machine.`,
    )
  }

  postgresURL(name: string): string | undefined {
    return this.#url(name, ['postgres:', 'postgresql:'])
  }

  /** One of a few words, of which the first is the default. */
  choice<T extends string>(name: string, words: readonly [T, ...T[]]): T {
    const value = this.text(name, false) ?? words[0]
    const word = words.find((candidate) => candidate === value)
    return word ?? this.#wrong(`${name} must be one of: ${words.join(', ')}.`) ?? words[0]
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

  /** Requires https except on this machine: over plain http, anybody on the network can read secrets, keys and tokens. */
  #webURL(name: string): string | undefined {
    const url = this.#url(name, ['https:', 'http:'])
    if (url === undefined) return undefined
    const { protocol, hostname, username, password } = new URL(url)
    if (username !== '' || password !== '') return this.#wrong(`${name} must have no user name and no password.`)
    if (protocol === 'https:' || LOOPBACK.test(hostname)) return url
    return this.#wrong(`${name} must begin with https:// (http:// is only for this machine).`)
  }

  #url(name: string, protocols: readonly string[]): string | undefined {
    const value = this.text(name, false)
    if (value === undefined) return undefined
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value
    const examples = protocols.map((protocol) => `${protocol}//`).join(' or ')
    return this.#wrong(`${name} must be an absolute URL that begins with ${examples}.`)
  }

  /** Also applies the library's own check of this option. */
  #asOption(option: LibraryOption, name: string, value: string): string | undefined {
    const problem = libraryProblem(option, name, value)
    return problem === undefined ? value : this.#wrong(problem)
  }

  #wrong(problem: string): undefined {
    this.problems.push(problem)
    return undefined
  }
}

type LibraryOption = keyof typeof VALID_OPTIONS

/**
 * The library's error message for one option, with the option's name replaced by the variable's. Options are checked one
 * at a time because the library throws at the first invalid one. Its messages never contain a value.
 */
function libraryProblem(option: LibraryOption, variable: string, value: string): string | undefined {
  try {
    new Strategy({ ...VALID_OPTIONS, [option]: value }, () => {})
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : 'cannot be used'
    return `${variable} ${message.startsWith(`${option} `) ? message.slice(option.length + 1) : message}.`
  }
}

/** Parses Express's `trust proxy` setting. Undefined when the value is invalid or would trust visitors. */
export function readProxies(value: string): number | string[] | undefined {
  if (/^\d{1,2}$/.test(value)) return Number(value) <= MAX_PROXIES ? Number(value) : undefined
  const proxies = value.split(',').map((proxy) => proxy.trim())
  return proxies.every(isProxy) ? proxies : undefined
}

function isProxy(value: string): boolean {
  if (NAMED_NETWORKS.includes(value)) return true
  if (value.includes('%')) return false
  if (!value.includes('/')) return ipaddr.IPv4.isValidFourPartDecimal(value) || ipaddr.IPv6.isValid(value)
  if (!ipaddr.isValidCIDR(value)) return false
  const [address, bits] = ipaddr.parseCIDR(value)
  if (address.kind() === 'ipv4') return bits >= MIN_NETWORK_BITS.ipv4
  // Express also compares the IPv4-mapped form (::ffff:192.0.2.1) of a visitor's address with IPv6 networks.
  const holdsIPv4 = ALL_IPV4.match(address, Math.min(bits, ALL_IPV4_BITS))
  return bits >= (holdsIPv4 ? ALL_IPV4_BITS + MIN_NETWORK_BITS.ipv4 : MIN_NETWORK_BITS.ipv6)
}
