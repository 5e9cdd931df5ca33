import { randomBytes } from 'node:crypto'
import type { ProviderBehaviours } from '../behaviours'
import type { Clock } from '../clock'
import type { Grant } from '../types'

interface Issued extends Grant {
  readonly issuedAt: number
}

/** A token that is alive, and whom it speaks for. */
export interface TokenHolder extends Issued {
  readonly token: string
}

function sameGrant(one: Grant, other: Grant): boolean {
  return one.appID === other.appID && one.userID === other.userID
}

/** Keys, tokens and remembered approvals: everything that ties a person to an application. */
export class Grants {
  private readonly _keys = new Map<string, Issued>()
  private readonly _tokens = new Map<string, Issued>()
  private _approvals: Grant[] = []

  constructor(
    private readonly _behaviours: () => ProviderBehaviours,
    private readonly _clock: Clock,
  ) {}

  issueKey({ appID, userID }: Grant): string {
    const key = this._credential()
    this._keys.set(key, { appID, userID, issuedAt: this._clock.now() })
    return key
  }

  /** A visit to the login page by somebody who is signed in. */
  visit(grant: Grant): void {
    if (this._behaviours().replaceKeyOnVisit) this._dropWhere(this._keys, (issued) => sameGrant(issued, grant))
  }

  /** The token for a key, which is consumed; undefined when the key is unknown, expired or another application's. */
  exchange(key: string, appID: string): string | undefined {
    const issued = this._keys.get(key)
    if (issued === undefined || issued.appID !== appID) return undefined
    this._keys.delete(key)
    if (this._clock.now() - issued.issuedAt >= this._behaviours().keyLifetime) return undefined
    const reused = this._behaviours().reuseToken ? this._livingToken(issued) : undefined
    return reused ?? this._issueToken(issued)
  }

  holderOf(token: string): TokenHolder | undefined {
    const issued = this._tokens.get(token)
    if (issued === undefined || !this._lives(issued)) return undefined
    return { token, ...issued }
  }

  approve({ appID, userID }: Grant): void {
    if (!this.isApproved({ appID, userID })) this._approvals.push({ appID, userID })
  }

  isApproved(grant: Grant): boolean {
    return this._approvals.some((approval) => sameGrant(approval, grant))
  }

  approvalsOf(userID: string): readonly Grant[] {
    return this._approvals.filter((approval) => approval.userID === userID)
  }

  revoke(grant: Grant): void {
    this._drop((issued) => sameGrant(issued, grant))
  }

  forgetApplication(appID: string): void {
    this._drop((issued) => issued.appID === appID)
  }

  /** Tokens stay: a token of somebody who is gone has an answer of its own. */
  forgetUser(userID: string): void {
    this._approvals = this._approvals.filter((approval) => approval.userID !== userID)
    this._dropWhere(this._keys, (issued) => issued.userID === userID)
  }

  private _issueToken({ appID, userID }: Grant): string {
    const token = this._credential()
    this._tokens.set(token, { appID, userID, issuedAt: this._clock.now() })
    return token
  }

  private _livingToken(grant: Grant): string | undefined {
    for (const [token, issued] of this._tokens) {
      if (sameGrant(issued, grant) && this._lives(issued)) return token
    }
    return undefined
  }

  private _lives(issued: Issued): boolean {
    return this._clock.now() - issued.issuedAt < this._behaviours().tokenLifetime
  }

  private _credential(): string {
    return this._behaviours().hexCredentials ? randomBytes(16).toString('hex') : randomBytes(32).toString('base64url')
  }

  private _drop(isMeant: (grant: Grant) => boolean): void {
    this._approvals = this._approvals.filter((approval) => !isMeant(approval))
    this._dropWhere(this._keys, isMeant)
    this._dropWhere(this._tokens, isMeant)
  }

  private _dropWhere(issued: Map<string, Issued>, isMeant: (grant: Grant) => boolean): void {
    for (const [credential, grant] of issued) {
      if (isMeant(grant)) issued.delete(credential)
    }
  }
}
