import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderMode } from './behaviours'
import type { Clock } from './clock'

/**
 * The four endpoints of the specification, by the last part of their path.
 *
 * @example
 * const endpoint: Endpoint = 'authorize'
 */
export type Endpoint = 'oauth' | 'authorize' | 'user/me' | 'get_user_info'

/**
 * A registered application (section 2.1 of the specification).
 *
 * @example
 * const { appID, appSecret }: Application = provider.registerApplication({ name, redirectURL })
 */
export interface Application {
  /** Sent as `app_id`. */
  readonly appID: string
  /** Sent as `app_secret`. */
  readonly appSecret: string
  /** What the approval page calls the application. */
  readonly name: string
  /** Where people return to after approving. */
  readonly redirectURL: string
}

/**
 * What `registerApplication` takes.
 *
 * @example
 * provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost/callback', appID: 'mine' })
 */
export interface ApplicationInput {
  /** What the approval page calls the application: 1 to 200 characters. */
  name: string
  /** Absolute `http:` or `https:` URL, 1 to 2,000 visible ASCII characters; kept exactly as given. */
  redirectURL: string
  /** A known id instead of a random one: 1 to 200 visible ASCII characters, not taken yet. */
  appID?: string
  /** A known secret instead of a random one: 1 to 200 visible ASCII characters. */
  appSecret?: string
}

/**
 * A person at the provider: the ten fields of section 2.2, before a mode changes how they are answered.
 *
 * @example
 * const ada: FakeUser | undefined = provider.users[0]
 */
export interface FakeUser {
  /** Answered without loss, however long: as a number literal when it is one, as a string in `stringTypes`. */
  readonly user_id: string
  readonly user_name: string | null
  readonly user_email: string | null
  readonly user_firstname: string | null
  readonly user_lastname: string | null
  readonly user_gender: string | null
  readonly user_birthdate: string | null
  /** An absolute URL, or a path of the provider's own (begins with `/`; answered as an absolute URL). */
  readonly user_picture: string | null
  /** As `user_picture`. */
  readonly user_cover: string | null
  readonly user_verified: boolean
}

/**
 * What `addUser` takes: anything left out gets a sensible value.
 *
 * @example
 * provider.addUser({ user_firstname: 'Grace', user_id: 9007199254740993n })
 */
export interface FakeUserInput extends Partial<Omit<FakeUser, 'user_id'>> {
  /** A string, a bigint, or a safe integer. Default: the next free number. */
  user_id?: string | number | bigint
}

/**
 * One application and one person.
 *
 * @example
 * provider.issueAuthKey({ appID, userID: '1' })
 */
export interface Grant {
  appID: string
  userID: string
}

/**
 * What goes wrong with one request. A fault that brings an answer of its own (`status`, `body`, `redirect`, `raw`), hangs, or
 * resets before the answer keeps the endpoint from doing its work: nothing is consumed. Any other fault disturbs the true answer.
 *
 * @example
 * provider.failNext('authorize', { hang: true })
 * provider.failNext('user/me', { status: 503, headers: { 'retry-after': '7' } }, { times: 3 })
 */
export interface Fault {
  /** Status instead of the true one. Without `body` or `rewrite` the body is empty. */
  status?: number
  /** Headers to set on the answer; a `content-length` given here is sent as it is. */
  headers?: Readonly<Record<string, string | readonly string[]>>
  /** Body instead of the true one. `content-type` stays `application/json` unless `headers` says otherwise. */
  body?: string | Uint8Array
  /** The true body, changed. Together with `status` the endpoint still does its work. */
  rewrite?: (body: string) => string
  /** Answers 302 (or `status`) with this Location and an empty body. */
  redirect?: string
  /** Real milliseconds of silence before the answer. */
  delay?: number
  /** Real milliseconds between two bytes of the body (of everything, with `raw`). */
  drip?: number
  /** Closes after that many bytes of the body, although `content-length` promises all of it. */
  truncate?: number
  /** Resets the connection: before the answer (`true` means this too), within its headers, within its body, or after all of it. */
  reset?: boolean | 'before' | 'headers' | 'body' | 'after'
  /** Sends the body (the bytes, with `raw`) again and again, without an end, until the client leaves. */
  endless?: boolean
  /** These bytes on the socket instead of an HTTP answer, then a close. Empty: a close without an answer. */
  raw?: string | Uint8Array
  /**
   * Never answers; the connection stays open until the client leaves or the provider stops. With `raw` or `truncate` the silence
   * comes after their bytes.
   */
  hang?: boolean
}

/**
 * One request to one of the four endpoints, in the order of arrival.
 *
 * @example
 * expect(provider.requests.filter(({ endpoint }) => endpoint === 'authorize')).toHaveLength(1)
 */
export interface LoggedRequest {
  readonly endpoint: Endpoint
  readonly method: string
  /** Path with the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The query's parameters; of repeated ones the last. */
  readonly query: Readonly<Record<string, string>>
  readonly body: string
  /** The body's parameters when it is a form; of repeated ones the last. */
  readonly form: Readonly<Record<string, string>>
  /** When it arrived: milliseconds by the provider's clock. */
  readonly at: number
  /** The answer's status, once there is one; a connection that was reset or hangs has none. */
  readonly status?: number
}

/**
 * Options of the fake provider.
 *
 * @example
 * await FakeProvider.start({ port: 4400, mode: 'wild', rateLimit: 5 })
 */
export interface FakeProviderOptions {
  /** Port to listen on, 0 to 65535. Default `0`: a free one. */
  port?: number
  /** Address to listen on. Default `'127.0.0.1'`. Anything but loopback needs `allowRemote`. */
  host?: string
  /** Allows to listen beyond loopback. Default `false`: there is no password at this provider. */
  allowRemote?: boolean
  /** The origin that browsers and applications see, such as `http://provider.test:4400`. Default: derived from `host` and `port`. */
  origin?: string
  /** Default `'specification'`. */
  mode?: ProviderMode
  /** API requests per hour and token: a whole number from 1, or `Infinity`. Default `1000`. */
  rateLimit?: number
  /** The people. Default: several sample people. */
  users?: readonly FakeUserInput[]
  /** A clock to share between providers. Default: one of its own. */
  clock?: Clock
}
