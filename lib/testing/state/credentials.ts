import { limits } from '../limits'
import type { Grant } from '../types'
import { BoundedMap } from './bounded-map'

/** The grant of a key or a token. */
export interface Issued extends Grant {
  /** Milliseconds by the provider's clock. */
  readonly issuedAt: number
}

/** Unique for one application and one person: application ids contain no space. */
export function grantKey({ appID, userID }: Grant): string {
  return `${appID} ${userID}`
}

/** Keys or tokens, indexed by their value and by their grant. */
export class Credentials {
  private readonly _byCredential: BoundedMap<Issued>
  private readonly _byGrant = new Map<string, Set<string>>()

  constructor(isExpired: (issued: Issued) => boolean) {
    const onDrop = (credential: string, issued: Issued) => this._forget(credential, issued)
    this._byCredential = new BoundedMap({ limit: limits.credentials, isExpired, onDrop })
  }

  add(credential: string, issued: Issued): void {
    const key = grantKey(issued)
    const siblings = this._byGrant.get(key) ?? new Set()
    this._byGrant.set(key, siblings.add(credential))
    this._byCredential.set(credential, issued)
  }

  get(credential: string): Issued | undefined {
    return this._byCredential.get(credential)
  }

  delete(credential: string): void {
    this._byCredential.delete(credential)
  }

  /** Those of one application and one person, oldest first. */
  of(grant: Grant): readonly string[] {
    return [...(this._byGrant.get(grantKey(grant)) ?? [])]
  }

  /** Scans all of them: for actions in the dashboard, not for every request. */
  deleteWhere(isMeant: (grant: Grant) => boolean): void {
    for (const [credential, issued] of this._byCredential.entries()) {
      if (isMeant(issued)) this._byCredential.delete(credential)
    }
  }

  private _forget(credential: string, issued: Issued): void {
    const key = grantKey(issued)
    const siblings = this._byGrant.get(key)
    siblings?.delete(credential)
    if (siblings?.size === 0) this._byGrant.delete(key)
  }
}
