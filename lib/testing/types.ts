import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderMode } from './behaviours'
import type { Clock } from './clock'

/**
 * The four endpoints of the specification, by the last part of their path.
 * @example
 * const endpoint: Endpoint = 'authorize'
 */
export type Endpoint = 'oauth' | 'authorize' | 'user/me' | 'get_user_info'

/**
 * A registered application (section 2.1 of the specification).
 * @example
 * const { appID, appSecret }: Application = provider.registerApplication({
 *   name: 'Mine',
 *   redirectURL: 'http://localhost/callback',
 * })
 */
export interface Application {
  /** Sent as `app_id`. */
  readonly appID: string
  /** Sent as `app_secret`. */
  readonly appSecret: string
  /** The application's name on the approval page. */
  readonly name: string
  /** Where users return to after approving. */
  readonly redirectURL: string
}

/**
 * The argument of `registerApplication`.
 * @example
 * provider.registerApplication({ name: 'Mine', redirectURL: 'http://localhost/callback', appID: 'mine' })
 */
export interface ApplicationInput {
  /** The application's name on the approval page: 1 to 200 characters. */
  name: string
  /** Absolute `http:` or `https:` URL, 1 to 2,000 visible ASCII characters; kept exactly as given. */
  redirectURL: string
  /** A known id instead of a random one: 1 to 200 visible ASCII characters, not taken yet. */
  appID?: string
  /** A known secret instead of a random one: 1 to 200 visible ASCII characters. */
  appSecret?: string
}

/**
 * A user at the provider: the ten fields of section 2.2, before a mode changes their format.
 * @example
 * const ada: FakeUser | undefined = provider.users[0]
 */
export interface FakeUser {
  /** Sent without loss, however long: as a number literal if it is one, as a string with `stringTypes`. */
  readonly user_id: string
  readonly user_name: string | null
  readonly user_email: string | null
  readonly user_firstname: string | null
  readonly user_lastname: string | null
  readonly user_gender: string | null
  readonly user_birthdate: string | null
  /** An absolute URL, or a path at the provider (begins with `/`; sent as an absolute URL). */
  readonly user_picture: string | null
  /** As `user_picture`. */
  readonly user_cover: string | null
  readonly user_verified: boolean
}

/**
 * The argument of `addUser`; omitted fields get sensible values.
 * @example
 * provider.addUser({ user_firstname: 'Grace', user_id: 9007199254740993n })
 */
export interface FakeUserInput extends Partial<Omit<FakeUser, 'user_id'>> {
  /** A string, a bigint, or a safe integer. Default: the next free number. */
  user_id?: string | number | bigint
}

/**
 * One application and one user.
 * @example
 * provider.issueAuthKey({ appID, userID: '1' })
 */
export interface Grant {
  appID: string
  userID: string
}

/**
 * A fault of one request. A fault that replaces the response (`status`, `body`, `redirect`, `raw`), hangs, or resets
 * before the response prevents the endpoint from running: nothing is consumed. Any other fault modifies the endpoint's
 * response.
 * @example
 * provider.failNext('authorize', { hang: true })
 * provider.failNext('user/me', { status: 503, headers: { 'retry-after': '7' } }, { times: 3 })
 */
export interface Fault {
  /** Replaces the status. Without `body` or `rewrite` the body is empty. */
  status?: number
  /** Headers to set on the response; a `content-length` given here is sent as it is. */
  headers?: Readonly<Record<string, string | readonly string[]>>
  /** Replaces the body. `content-type` stays `application/json` unless `headers` says otherwise. */
  body?: string | Uint8Array
  /** Transforms the endpoint's body. Together with `status` the endpoint still runs. */
  rewrite?: (body: string) => string
  /** Responds with 302 (or `status`), this Location and an empty body. */
  redirect?: string
  /** Real milliseconds of delay before the response. */
  delay?: number
  /** Real milliseconds between two bytes of the body (of everything, with `raw`). */
  drip?: number
  /** Closes after that many bytes of the body, although `content-length` promises all of it. */
  truncate?: number
  /**
   * Resets the connection: before the response (`true` means this, too), within its headers, within its body, or after
   * it. This package sends a request again whose connection closes before the response, and a profile request also
   * after a response that is cut off: `{ times: Infinity }` makes all fail.
   */
  reset?: boolean | 'before' | 'headers' | 'body' | 'after'
  /** Repeats the body (the bytes, with `raw`) endlessly until the client disconnects. */
  endless?: boolean
  /** Sends these bytes on the socket instead of an HTTP response, then closes it. Empty: closes without a response. */
  raw?: string | Uint8Array
  /**
   * Never responds; the connection stays open until the client disconnects or the provider stops. With `raw` or
   * `truncate` the hang comes after their bytes.
   */
  hang?: boolean
}

/**
 * One request to one of the four endpoints, in the order of arrival.
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
  /** The message with which the API refused it. */
  readonly error?: string
  /** The status of the response, once there is one; undefined if the connection was reset or hangs. */
  readonly status?: number
}

/**
 * Options of the fake provider.
 * @example
 * await FakeProvider.start({ port: 4400, mode: 'as-deployed', rateLimit: 5 })
 */
export interface FakeProviderOptions {
  /** Port to listen on, 0 to 65535. Default `0`: a free one. */
  port?: number
  /** Address to listen on. Default `'127.0.0.1'`. Anything but loopback needs `allowRemote`. */
  host?: string
  /** Allows listening beyond loopback. Default `false`: this provider has no passwords. */
  allowRemote?: boolean
  /** The origin that browsers and applications see: `http://provider.test:4400`. Default: from `host` and `port`. */
  origin?: string
  /** Default `'specification'`. */
  mode?: ProviderMode
  /** API requests per hour and token: a whole number from 1, or `Infinity`. Default `1000`. */
  rateLimit?: number
  /** What the pages call the provider: 1 to 200 characters. Default `'Fake Social'`. */
  name?: string
  /** The users. Default: several sample users. */
  users?: readonly FakeUserInput[]
  /** Called with a line of text for each request: time, path and outcome, and no secret. Default: not. */
  log?: (line: string) => void
  /** A clock to share between providers. Default: a new one. */
  clock?: Clock
}
