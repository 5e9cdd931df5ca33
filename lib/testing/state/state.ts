import type { ProviderBehaviours } from '../behaviours'
import type { Applications } from './applications'
import type { Grants } from './grants'
import type { Sessions } from './sessions'
import type { Users } from './users'

/** The provider's state, for its endpoints and pages. */
export interface State {
  /** What the pages call the provider. */
  readonly name: string
  readonly behaviours: () => ProviderBehaviours
  /** Undefined on a server of the user's own, if it was not given. */
  readonly origin: () => string | undefined
  /** Whether requests under any name of this machine are answered. */
  readonly allowRemote: boolean
  readonly rateLimit: number
  readonly applications: Applications
  readonly users: Users
  readonly grants: Grants
  readonly sessions: Sessions
}
