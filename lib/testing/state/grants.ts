import { randomBytes } from 'node:crypto'
import type { ProviderBehaviours } from '../behaviours'
import type { Clock } from '../clock'
import type { Grant } from '../types'
import { BoundedMap } from './bounded-map'

const HOUR_MS = 3_600_000

interface AuthKey extends Grant {
  /** Milliseconds by the provider's clock. */
  readonly issuedAt: number
}

interface AccessToken extends AuthKey {
  readonly token: string
  /** The API requests with the token in the hour that ends at `resetAt`. */
  requests: number
  resetAt: number
}

/** The holder of a token, and when its next hour begins if this request is beyond the rate limit. */
export interface TokenUse {
  readonly userID: string
  readonly refusedUntil: number | undefined
}

/** Keys, tokens and remembered approvals: everything that links a user to an application. */
export class Grants {
  private readonly _keys = new BoundedMap<AuthKey>()
  private readonly _tokens = new BoundedMap<AccessToken>()
  private readonly _approvals = new BoundedMap<Grant>()

  constructor(private readonly _provider: { behaviours: ProviderBehaviours; clock: Clock; rateLimit: number }) {}

  issueKey({ appID, userID }: Grant): string {
    const key = this._credential()
    this._keys.set(key, { appID, userID, issuedAt: this._provider.clock.now() })
    return key
  }

  /** Records a signed-in user's visit to the login page. */
  visit(grant: Grant): void {
    if (this._provider.behaviours.replaceKeyOnVisit) this._keys.deleteWhere((key) => isSame(key, grant))
  }

  /** The token for a key, which is consumed; undefined when the key is unknown, expired or another application's. */
  exchange(key: string, appID: string): string | undefined {
    const issued = this._keys.get(key)
    if (issued === undefined || issued.appID !== appID) return undefined
    this._keys.delete(key)
    const { keyLifetime, reuseToken } = this._provider.behaviours
    if (!this._isWithin(keyLifetime, issued)) return undefined
    return (reuseToken ? this._livingToken(issued) : undefined) ?? this._issueToken(issued)
  }

  /** Counts an API request with a token (section 8). Undefined when the token is unknown or expired. */
  use(token: string): TokenUse | undefined {
    const issued = this._tokens.get(token)
    if (issued === undefined || !this._lives(issued)) return undefined
    const now = this._provider.clock.now()
    // A token's hours count from its issue, so that no test spans two.
    const resetAt = issued.issuedAt + (Math.floor((now - issued.issuedAt) / HOUR_MS) + 1) * HOUR_MS
    issued.requests = issued.resetAt === resetAt ? issued.requests + 1 : 1
    issued.resetAt = resetAt
    const isRefused = issued.requests > this._provider.rateLimit
    return { userID: issued.userID, refusedUntil: isRefused ? resetAt : undefined }
  }

  approve({ appID, userID }: Grant): void {
    this._approvals.set(approvalKey({ appID, userID }), { appID, userID })
  }

  isApproved(grant: Grant): boolean {
    return this._approvals.has(approvalKey(grant))
  }

  approvalsOf(userID: string): readonly Grant[] {
    return [...this._approvals.values()].filter((approval) => approval.userID === userID)
  }

  revoke(grant: Grant): void {
    for (const grants of [this._approvals, this._keys, this._tokens]) grants.deleteWhere((each) => isSame(each, grant))
  }

  forgetApplication(appID: string): void {
    for (const grants of [this._approvals, this._keys, this._tokens]) grants.deleteWhere((each) => each.appID === appID)
  }

  /** The tokens are kept, because those of a deleted user get their own response. */
  forgetUser(userID: string): void {
    for (const grants of [this._approvals, this._keys]) grants.deleteWhere((each) => each.userID === userID)
  }

  private _issueToken({ appID, userID }: Grant): string {
    const token = this._credential()
    this._tokens.set(token, { token, appID, userID, issuedAt: this._provider.clock.now(), requests: 0, resetAt: 0 })
    return token
  }

  private _livingToken(grant: Grant): string | undefined {
    return [...this._tokens.values()].find((token) => isSame(token, grant) && this._lives(token))?.token
  }

  private _lives(token: AccessToken): boolean {
    return this._isWithin(this._provider.behaviours.tokenLifetime, token)
  }

  private _isWithin(lifetime: number, { issuedAt }: AuthKey): boolean {
    return this._provider.clock.now() - issuedAt < lifetime
  }

  private _credential(): string {
    return this._provider.behaviours.hexCredentials
      ? randomBytes(16).toString('hex')
      : randomBytes(32).toString('base64url')
  }
}

function isSame(one: Grant, other: Grant): boolean {
  return one.appID === other.appID && one.userID === other.userID
}

/** Unique for one application and one user: application ids contain no space. */
function approvalKey({ appID, userID }: Grant): string {
  return `${appID} ${userID}`
}
