import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { behavioursOf, type ProviderBehaviours, type ProviderMode } from './behaviours'
import { Clock } from './clock'
import { FaultQueue } from './http/faults'
import { Listener } from './http/listener'
import { RequestLog } from './http/request-log'
import { checkedOrigin, isLoopback, listen, shutDown } from './http/server'
import { samplePeople } from './people'
import { Applications, checkedName } from './state/applications'
import { Grants } from './state/grants'
import { Sessions } from './state/sessions'
import { Users } from './state/users'
import type {
  Application,
  ApplicationInput,
  Endpoint,
  FakeProviderOptions,
  FakeUser,
  FakeUserInput,
  Fault,
  Grant,
  LoggedRequest,
} from './types'

/**
 * A provider that speaks the whole Social Login API, for tests and local development, which rarely have an account at a
 * real one. All data is in memory and lost after `stop()`.
 *
 * @example
 * const provider = await FakeProvider.start()
 * const { appID, appSecret } = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
 */
export class FakeProvider {
  /** The adjustable clock of lifetimes and the rate limit. */
  readonly clock: Clock
  /** The provider as a listener for a `node:http` server of your own; mount it at the root. */
  readonly requestListener: (request: IncomingMessage, response: ServerResponse) => void
  private readonly _applications = new Applications()
  private readonly _users = new Users()
  private readonly _grants: Grants
  private readonly _faults = new FaultQueue()
  private readonly _log: RequestLog
  private readonly _listener: Listener
  private _behaviours: ProviderBehaviours
  private _origin: string | undefined
  private _server: Server | undefined

  /**
   * A provider that does not listen: mount `requestListener`, and give `origin` if you need `baseURL`.
   *
   * @throws TypeError or RangeError when an option has an invalid value.
   */
  constructor(options: FakeProviderOptions = {}) {
    const { name = 'Fake Social', rateLimit = 1000, allowRemote = false } = options
    this.clock = options.clock ?? new Clock()
    this._behaviours = behavioursOf(options.mode)
    this._origin = options.origin === undefined ? undefined : checkedOrigin(options.origin)
    this._grants = new Grants(() => this._behaviours, this.clock, rateLimit)
    this._log = new RequestLog(this.clock)
    for (const user of options.users ?? samplePeople) this._users.add(user)
    const origin = () => this._origin
    const state = {
      name: checkedName(name),
      behaviours: () => this._behaviours,
      origin,
      allowRemote,
      rateLimit,
      applications: this._applications,
      users: this._users,
      grants: this._grants,
      sessions: new Sessions(origin),
    }
    this._listener = new Listener(state, this._faults, this._log)
    this.requestListener = (request, response) => this._listener.handle(request, response)
  }

  /**
   * Starts a provider that listens.
   *
   * Rejects with an Error when the port is taken or may not be used, when `host` is beyond loopback without `allowRemote`, and
   * as the constructor throws.
   */
  static async start(options: FakeProviderOptions = {}): Promise<FakeProvider> {
    const provider = new FakeProvider(options)
    const { host = '127.0.0.1', port = 0, allowRemote = false } = options
    if (!allowRemote && !isLoopback(host)) {
      throw new Error(`The fake provider has no passwords: it listens on "${host}" only with allowRemote`)
    }
    const [server, origin] = await listen(provider.requestListener, host, port)
    provider._server = server
    provider._origin ??= origin
    return provider
  }

  /** Such as `http://127.0.0.1:4400`. @throws Error when it neither listens nor was given `origin`. */
  get origin(): string {
    if (this._origin === undefined) throw new Error('FakeProvider: start() it, or give the option origin')
    return this._origin
  }

  /** `{base_url}` of the specification: ends in `/api/v1`. @throws as `origin`. */
  get baseURL(): string {
    return `${this.origin}/api/v1`
  }

  /** `{oauth_base}` of the specification: ends in `/api`. @throws as `origin`. */
  get oauthBase(): string {
    return `${this.origin}/api`
  }

  /** The provider's present behaviours. */
  get behaviours(): Readonly<ProviderBehaviours> {
    return this._behaviours
  }

  /** Changes the mode from the next request on. @throws TypeError when it is not a mode. */
  setMode(mode: ProviderMode): void {
    this._behaviours = behavioursOf(mode)
  }

  /** The registered applications, in order. */
  get applications(): readonly Application[] {
    return this._applications.all()
  }

  /** Registers an application, as the dashboard does. @throws TypeError when a value is unusable or the id is taken. */
  registerApplication(input: ApplicationInput): Application {
    return this._applications.register(input)
  }

  /** Changes name or redirect URL. @throws RangeError when there is no such application; TypeError when a value is unusable. */
  updateApplication(appID: string, changes: { name?: string; redirectURL?: string }): Application {
    return this._applications.update(appID, changes)
  }

  /**
   * Gives the application a new secret and invalidates the old one.
   *
   * @throws RangeError when there is no such application.
   */
  renewSecret(appID: string): Application {
    return this._applications.renewSecret(appID)
  }

  /** Deletes an application with its keys, tokens and approvals. @returns whether there was one. */
  removeApplication(appID: string): boolean {
    this._grants.forgetApplication(appID)
    return this._applications.remove(appID)
  }

  /** The people, in order. */
  get users(): readonly FakeUser[] {
    return this._users.all()
  }

  /** Adds a person. @throws RangeError when the id is taken or a number without all its digits; TypeError on a wrong type. */
  addUser(user: FakeUserInput = {}): FakeUser {
    return this._users.add(user)
  }

  /** Changes a person; the id stays. @throws RangeError when there is no such person; TypeError on a wrong type. */
  updateUser(userID: string, changes: Omit<FakeUserInput, 'user_id'>): FakeUser {
    return this._users.update(userID, changes)
  }

  /**
   * Removes a person. Their tokens stay valid, but profile requests report that the person is gone.
   *
   * @returns whether there was one.
   */
  removeUser(userID: string): boolean {
    this._grants.forgetUser(userID)
    return this._users.remove(userID)
  }

  /**
   * Issues the key of an approval without a browser. The newest 10,000 unused keys are valid.
   *
   * @throws RangeError when there is no such application or person.
   */
  issueAuthKey(grant: Grant): string {
    this._existing(grant)
    this._grants.visit(grant)
    return this._grants.issueKey(grant)
  }

  /** Remembers an approval: the person's next login redirects at once. @throws as `issueAuthKey`. */
  approve(grant: Grant): void {
    this._existing(grant)
    this._grants.approve(grant)
  }

  /** Forgets an approval and invalidates unused keys and tokens of this person and application. */
  revoke(grant: Grant): void {
    this._grants.revoke(grant)
  }

  /**
   * Makes the next request to an endpoint fail. Faults are queued, each for one request (or for `times` requests).
   *
   * @throws TypeError when the endpoint is not one of the four, or `times` is not a whole number from 1.
   */
  failNext(endpoint: Endpoint, fault: Fault, { times = 1 }: { times?: number } = {}): void {
    this._faults.add(endpoint, fault, times)
  }

  /** Removes all queued faults. */
  clearFaults(): void {
    this._faults.clear()
  }

  /**
   * A copy of the requests to the four endpoints so far, in order: the newest 20,000. A suite that counts more calls
   * `clearRequests()` in between. Requests that another site made a browser send are refused and not listed, except
   * visits to `oauth`.
   */
  get requests(): readonly LoggedRequest[] {
    return this._log.entries
  }

  /** Empties the log. */
  clearRequests(): void {
    this._log.clear()
  }

  /** Closes the server and every connection, hanging ones included. Idempotent, also if it never listened. */
  async stop(): Promise<void> {
    this._listener.release()
    const server = this._server
    this._server = undefined
    if (server !== undefined) await shutDown(server)
  }

  /** As `stop()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  private _existing({ appID, userID }: Grant): void {
    this._applications.existing(appID)
    this._users.existing(userID)
  }
}
