import type { ProviderBehaviours } from '../behaviours'
import type { Clock } from '../clock'
import type { Applications } from './applications'
import type { Grants } from './grants'
import type { RateLimit } from './rate-limit'
import type { Sessions } from './sessions'
import type { Users } from './users'

/** The provider's state, for its endpoints and pages. */
export interface State {
  /** What the pages call the provider. */
  readonly name: string
  readonly behaviours: () => ProviderBehaviours
  readonly clock: Clock
  readonly applications: Applications
  readonly users: Users
  readonly grants: Grants
  readonly sessions: Sessions
  readonly rateLimit: RateLimit
  /** Whether a `Host` header names this provider. */
  readonly trustsHost: (host: string) => boolean
}
