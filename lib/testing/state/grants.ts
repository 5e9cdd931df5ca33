import { randomBytes } from 'node:crypto'
import type { ProviderBehaviours } from '../behaviours'
import type { Clock } from '../clock'
import { limits } from '../limits'
import type { Grant } from '../types'
import { BoundedMap } from './bounded-map'
import { Credentials, grantKey, type Issued } from './credentials'

/** A valid token and its grant. */
export interface TokenHolder extends Issued {
  readonly token: string
}

/** Keys, tokens and remembered approvals: everything that links a person to an application. */
export class Grants {
  private readonly _keys: Credentials
  private readonly _tokens: Credentials
  private readonly _approvals = new BoundedMap<Grant>({ limit: limits.credentials })

  constructor(
    private readonly _behaviours: () => ProviderBehaviours,
    private readonly _clock: Clock,
  ) {
    this._keys = new Credentials((issued) => !this._isWithin(this._behaviours().keyLifetime, issued))
    this._tokens = new Credentials((issued) => !this._lives(issued))
  }

  issueKey({ appID, userID }: Grant): string {
    const key = this._credential()
    this._keys.add(key, { appID, userID, issuedAt: this._clock.now() })
    return key
  }

  /** Records a signed-in person's visit to the login page. */
  visit(grant: Grant): void {
    if (!this._behaviours().replaceKeyOnVisit) return
    for (const key of this._keys.of(grant)) this._keys.delete(key)
  }

  /** The token for a key, which is consumed; undefined when the key is unknown, expired or another application's. */
  exchange(key: string, appID: string): string | undefined {
    const issued = this._keys.get(key)
    if (issued === undefined || issued.appID !== appID) return undefined
    this._keys.delete(key)
    if (!this._isWithin(this._behaviours().keyLifetime, issued)) return undefined
    const reused = this._behaviours().reuseToken ? this._livingToken(issued) : undefined
    return reused ?? this._issueToken(issued)
  }

  holderOf(token: string): TokenHolder | undefined {
    const issued = this._tokens.get(token)
    if (issued === undefined || !this._lives(issued)) return undefined
    return { token, ...issued }
  }

  approve({ appID, userID }: Grant): void {
    this._approvals.set(grantKey({ appID, userID }), { appID, userID })
  }

  isApproved(grant: Grant): boolean {
    return this._approvals.get(grantKey(grant)) !== undefined
  }

  approvalsOf(userID: string): readonly Grant[] {
    return this._allApprovals().filter((approval) => approval.userID === userID)
  }

  revoke(grant: Grant): void {
    this._approvals.delete(grantKey(grant))
    for (const credentials of [this._keys, this._tokens]) {
      for (const credential of credentials.of(grant)) credentials.delete(credential)
    }
  }

  forgetApplication(appID: string): void {
    this._forgetApprovals((approval) => approval.appID === appID)
    this._keys.deleteWhere((issued) => issued.appID === appID)
    this._tokens.deleteWhere((issued) => issued.appID === appID)
  }

  /** Keeps the tokens: those of a deleted person get a response of their own. */
  forgetUser(userID: string): void {
    this._forgetApprovals((approval) => approval.userID === userID)
    this._keys.deleteWhere((issued) => issued.userID === userID)
  }

  private _issueToken({ appID, userID }: Grant): string {
    const token = this._credential()
    this._tokens.add(token, { appID, userID, issuedAt: this._clock.now() })
    return token
  }

  private _livingToken(grant: Grant): string | undefined {
    for (const token of this._tokens.of(grant)) {
      if (this.holderOf(token) !== undefined) return token
      // Otherwise every later exchange would check expired ones again.
      this._tokens.delete(token)
    }
    return undefined
  }

  private _lives(issued: Issued): boolean {
    return this._isWithin(this._behaviours().tokenLifetime, issued)
  }

  private _isWithin(lifetime: number, { issuedAt }: Issued): boolean {
    return this._clock.now() - issuedAt < lifetime
  }

  private _credential(): string {
    return this._behaviours().hexCredentials ? randomBytes(16).toString('hex') : randomBytes(32).toString('base64url')
  }

  private _allApprovals(): Grant[] {
    return Array.from(this._approvals.entries(), ([, approval]) => approval)
  }

  private _forgetApprovals(isMeant: (approval: Grant) => boolean): void {
    for (const approval of this._allApprovals()) {
      if (isMeant(approval)) this._approvals.delete(grantKey(approval))
    }
  }
}
