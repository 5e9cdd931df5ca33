import { behavioursOf, type ProviderBehaviours } from '../behaviours'
import { Clock } from '../clock'
import { FaultQueue } from '../http/faults'
import { RequestLog } from '../http/request-log'
import { checkedOrigin } from '../http/server'
import { samplePeople } from '../people'
import type { FakeProviderOptions } from '../types'
import { Applications, checkedName } from './applications'
import { Grants } from './grants'
import { Sessions } from './sessions'
import { Users } from './users'

/** The provider's state, for its endpoints and pages. */
export class State {
  /** What the pages call the provider. */
  readonly name: string
  readonly clock: Clock
  readonly rateLimit: number
  /** Whether requests under any name of this machine are answered. */
  readonly allowRemote: boolean
  behaviours: ProviderBehaviours
  /** Undefined on a server of the user's own, if it was not given. */
  origin: string | undefined
  readonly applications = new Applications()
  readonly users = new Users()
  readonly sessions = new Sessions(this)
  readonly faults = new FaultQueue()
  readonly grants: Grants
  readonly log: RequestLog

  /** @throws TypeError or RangeError when an option has an invalid value. */
  constructor(options: FakeProviderOptions) {
    this.name = checkedName(options.name ?? 'Fake Social')
    this.clock = options.clock ?? new Clock()
    this.rateLimit = options.rateLimit ?? 1000
    this.allowRemote = options.allowRemote ?? false
    this.behaviours = behavioursOf(options.mode)
    this.origin = options.origin === undefined ? undefined : checkedOrigin(options.origin)
    this.grants = new Grants(this)
    this.log = new RequestLog(this.clock)
    for (const user of options.users ?? samplePeople) this.users.add(user)
  }
}
