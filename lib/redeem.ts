import { types } from 'node:util'
import { LoginCall, type SocialLoginClient, type TokenAnswer } from './client'
import { Deadline } from './deadline'
import { Trace } from './diagnostics'
import { SocialLoginError } from './errors'
import type { ProfileEndpoint } from './options'
import { type Profile, profileOf } from './profile'

/** What a spent `auth_key` was worth. */
export interface Redeemed {
  readonly params: TokenAnswer
  /** Undefined when `skipUserProfile` said so. */
  readonly profile: Profile | undefined
}

/**
 * Decides per login whether to skip the profile request: one parameter returns the decision (or its promise), two
 * parameters call `done`. One signature and no union of two, so that TypeScript can tell the parameters' types.
 *
 * @example
 * const skipUserProfile: SkipUserProfile = async (accessToken) => cache.has(accessToken)
 */
export type SkipUserProfile = (
  accessToken: string,
  done: (error: unknown, skip?: boolean) => void,
) => boolean | Promise<boolean> | void

/** The options that shape a redemption; see `StrategyOptions`. */
export interface RedeemOptions {
  readonly name: string
  readonly timeout: number
  readonly maxConcurrentLogins: number
  readonly profileEndpoint: ProfileEndpoint
  readonly skipUserProfile: boolean | SkipUserProfile
  readonly uploadsURL: URL | undefined
}

/**
 * Turns keys into profiles: exchange and profile request under one deadline. At most `maxConcurrentLogins` are under
 * way at once and none is queued: a provider that stalls costs a bounded number of sockets, and the connections that
 * time out are not replaced by those of a queue.
 */
export class Redeemer {
  readonly #client: SocialLoginClient
  readonly #options: RedeemOptions
  #underWay = 0
  #closing: Promise<void> | undefined
  #whenIdle = (): void => {}

  constructor(client: SocialLoginClient, options: RedeemOptions) {
    this.#client = client
    this.#options = options
  }

  /** Opens a connection to the provider in the background, while the person is on the provider's page. */
  prepare(): void {
    this.#client.prepare()
  }

  /**
   * Takes one of the places; the function returned gives it back. Enter before anything is used up: whoever is refused
   * can come again with the same record and key.
   *
   * @throws SocialLoginError `overloaded` when no place is left
   */
  enter(): () => void {
    if (this.#closing !== undefined || this.#underWay >= this.#options.maxConcurrentLogins)
      throw new SocialLoginError('overloaded', 'exchange', { retryAfter: 1 })
    this.#underWay++
    return () => {
      this.#underWay--
      if (this.#underWay === 0) this.#whenIdle()
    }
  }

  /** Lets the logins under way end, and closes the connections. From now on others are `overloaded`. Again is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#idle().then(() => this.#client.close())
    return this.#closing
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#underWay === 0) resolve()
      else this.#whenIdle = resolve
    })
  }

  /**
   * Redeems a key, for who has entered.
   *
   * @throws SocialLoginError of phase `exchange` or `profile`
   */
  async redeem(authKey: string, trace = new Trace(this.#options.name)): Promise<Redeemed> {
    const deadline = new Deadline(this.#options.timeout)
    try {
      const params = await trace.run('exchange', (onRepeat) =>
        this.#client.exchangeAuthKey(authKey, new LoginCall(deadline, onRepeat)),
      )
      const profile = await trace.run('profile', (onRepeat) =>
        this.#loadProfile(params.access_token, new LoginCall(deadline, onRepeat)),
      )
      return { params, profile }
    } finally {
      deadline.clear()
    }
  }

  async #loadProfile(accessToken: string, call: LoginCall): Promise<Profile | undefined> {
    const { name, profileEndpoint, skipUserProfile, uploadsURL } = this.#options
    if (await decideSkip(skipUserProfile, accessToken, call.deadline)) return undefined
    return profileOf(await this.#client.fetchUser(profileEndpoint, accessToken, call), name, uploadsURL)
  }
}

function decideSkip(
  skip: boolean | SkipUserProfile,
  accessToken: string,
  deadline: Deadline,
): boolean | Promise<boolean> {
  if (typeof skip === 'boolean') return skip
  return new Promise((resolve, reject) => {
    deadline.onEnd(() => reject(skipTimeout()))
    const done = (error: unknown, decision?: boolean): void => (error ? reject(error) : resolve(decision === true))
    // As in passport-oauth2: a function of two parameters calls done, one of fewer returns its decision.
    const decision: unknown = skip(accessToken, done)
    // Not `resolve(decision)`: a promise that never settles would keep the deadline from rejecting.
    if (skip.length < 2) Promise.resolve(decision).then((answer) => resolve(Boolean(answer)), reject)
    else if (types.isPromise(decision)) decision.catch(reject)
  })
}

function skipTimeout(): SocialLoginError {
  return new SocialLoginError('verify_timeout', 'profile', {
    hint: 'Here it was skipUserProfile, which must answer within the timeout option.',
  })
}
