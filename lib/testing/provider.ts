import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { checkArguments } from '../values'
import {
  ADD_USER,
  APPLICATION_ID,
  FAIL_NEXT,
  GRANT,
  MODE,
  PROVIDER_OPTIONS,
  REGISTER_APPLICATION,
  UPDATE_APPLICATION,
  UPDATE_USER,
  USER_ID,
} from './argument-kinds'
import { apiPath, behavioursOf, type ProviderBehaviours, type ProviderMode } from './behaviours'
import type { Clock } from './clock'
import { listenerFor } from './http/listener'
import { isLoopback, listen, shutDown } from './http/server'
import { State } from './state/state'
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
 * @example
 * const provider = await FakeProvider.start()
 * const { appID, appSecret } = provider.registerApplication({ name: 'My app', redirectURL: 'http://localhost:3000/cb' })
 */
export class FakeProvider {
  /** The adjustable clock of lifetimes and the rate limit. */
  readonly clock: Clock
  /** The provider as a listener for your own `node:http` server; mount it at the root. */
  readonly requestListener: (request: IncomingMessage, response: ServerResponse) => void
  private readonly _state: State
  private _server: Server | undefined

  /**
   * A provider that does not listen: mount `requestListener`, and give `origin` if you need `baseURL`.
   * @throws TypeError or RangeError when an option has an invalid value.
   */
  constructor(options: FakeProviderOptions = {}) {
    checkArguments('FakeProvider', PROVIDER_OPTIONS, [options])
    this._state = new State(options)
    this.clock = this._state.clock
    this.requestListener = listenerFor(this._state)
  }

  /**
   * Starts a provider that listens.
   *
   * Rejects with an Error when the port is taken or may not be used, when `host` is beyond loopback without
   * `allowRemote`, and as the constructor throws.
   */
  static async start(options: FakeProviderOptions = {}): Promise<FakeProvider> {
    const provider = new FakeProvider(options)
    const { host = '127.0.0.1', port = 0, allowRemote = false } = options
    if (!allowRemote && !isLoopback(host)) {
      throw new Error(`The fake provider has no passwords: it listens on "${host}" only with allowRemote`)
    }
    const [server, origin] = await listen(provider.requestListener, host, port)
    provider._server = server
    provider._state.origin ??= origin
    return provider
  }

  /** Such as `http://127.0.0.1:4400`. @throws Error when it neither listens nor was given `origin`. */
  get origin(): string {
    if (this._state.origin === undefined) throw new Error('FakeProvider: start() it, or give the option origin')
    return this._state.origin
  }

  /** `{base_url}` of the specification: ends in `/api/v1`. @throws as `origin`. */
  get baseURL(): string {
    return `${this.oauthBase}/v1`
  }

  /** `{oauth_base}` of the specification: ends in `/api`. @throws as `origin`. */
  get oauthBase(): string {
    return this.origin + apiPath(this.behaviours)
  }

  /** The provider's present behaviours. */
  get behaviours(): Readonly<ProviderBehaviours> {
    return this._state.behaviours
  }

  /** Changes the mode from the next request on. @throws TypeError when it is not a mode. */
  setMode(mode: ProviderMode): void {
    checkArguments('setMode', MODE, [mode])
    this._state.behaviours = behavioursOf(mode)
  }

  /** The registered applications, in order. */
  get applications(): readonly Application[] {
    return [...this._state.applications.values()]
  }

  /** Registers an application, as the dashboard does. @throws TypeError when a value is unusable or the id is taken. */
  registerApplication(input: ApplicationInput): Application {
    checkArguments('registerApplication', REGISTER_APPLICATION, [input])
    return this._state.applications.register(input)
  }

  /** Changes name or redirect URL. @throws RangeError for an unknown application; TypeError for an unusable value. */
  updateApplication(appID: string, changes: { name?: string; redirectURL?: string }): Application {
    checkArguments('updateApplication', UPDATE_APPLICATION, [appID, changes])
    return this._state.applications.update(appID, changes)
  }

  /**
   * Gives the application a new secret and invalidates the old one.
   * @throws RangeError when there is no such application.
   */
  renewSecret(appID: string): Application {
    checkArguments('renewSecret', APPLICATION_ID, [appID])
    return this._state.applications.renewSecret(appID)
  }

  /** Deletes an application with its keys, tokens and approvals. @returns whether there was one. */
  removeApplication(appID: string): boolean {
    checkArguments('removeApplication', APPLICATION_ID, [appID])
    return this._state.removeApplication(appID)
  }

  /** The users, in order. */
  get users(): readonly FakeUser[] {
    return [...this._state.users.values()]
  }

  /**
   * Adds a user. @throws RangeError when the id is taken, or a number that lost digits; TypeError on a wrong type.
   */
  addUser(user: FakeUserInput = {}): FakeUser {
    checkArguments('addUser', ADD_USER, [user])
    return this._state.users.add(user)
  }

  /** Changes a user; the id stays. @throws RangeError when there is no such user; TypeError on a wrong type. */
  updateUser(userID: string, changes: Omit<FakeUserInput, 'user_id'>): FakeUser {
    checkArguments('updateUser', UPDATE_USER, [userID, changes])
    return this._state.users.update(userID, changes)
  }

  /**
   * Removes a user. Their tokens stay valid, but profile requests report that the user is gone.
   * @returns whether there was one.
   */
  removeUser(userID: string): boolean {
    checkArguments('removeUser', USER_ID, [userID])
    return this._state.removeUser(userID)
  }

  /**
   * Issues the key of an approval without a browser. The newest 10,000 unused keys are valid.
   * @throws RangeError when there is no such application or user.
   */
  issueAuthKey(grant: Grant): string {
    checkArguments('issueAuthKey', GRANT, [grant])
    this._existing(grant)
    this._state.grants.visit(grant)
    return this._state.grants.issueKey(grant)
  }

  /** Remembers an approval: the user's next login redirects immediately. @throws as `issueAuthKey`. */
  approve(grant: Grant): void {
    checkArguments('approve', GRANT, [grant])
    this._existing(grant)
    this._state.grants.approve(grant)
  }

  /** Forgets an approval and invalidates unused keys and tokens of this user and application. */
  revoke(grant: Grant): void {
    checkArguments('revoke', GRANT, [grant])
    this._state.grants.revoke(grant)
  }

  /**
   * Makes the next request to an endpoint fail. Faults are queued, each for one request, or for `times` requests:
   * `Infinity` is for all, up to {@link clearFaults}.
   * @throws TypeError for an endpoint, a fault or an option that does not exist, or of a wrong type; RangeError for a number
   * that cannot be meant, such as `times` below 1
   */
  failNext(endpoint: Endpoint, fault: Fault, options: { times?: number } = {}): void {
    checkArguments('failNext', FAIL_NEXT, [endpoint, fault, options])
    const { times = 1 } = options
    this._state.faults[endpoint].push({ fault, times })
  }

  /** Removes all queued faults. */
  clearFaults(): void {
    for (const queue of Object.values(this._state.faults)) queue.length = 0
  }

  /**
   * A copy of the requests to the four endpoints so far, in order: the newest 20,000, or fewer if they are longer than
   * 32 MB together, with the first hundred parameters of each query and form. A suite that counts more calls
   * `clearRequests()` in between. Requests that another site made a browser send are refused and not listed, except
   * visits to `oauth`.
   */
  get requests(): readonly LoggedRequest[] {
    return [...this._state.requests]
  }

  /** Empties the log. */
  clearRequests(): void {
    this._state.clearRequests()
  }

  /** Closes the server that `start` opened, and its connections, hanging ones included. Idempotent. */
  async stop(): Promise<void> {
    const server = this._server
    this._server = undefined
    if (server !== undefined) await shutDown(server)
  }

  /** As `stop()`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  private _existing({ appID, userID }: Grant): void {
    this._state.applications.existing(appID)
    this._state.users.existing(userID)
  }
}
