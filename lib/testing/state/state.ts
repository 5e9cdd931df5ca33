import { behavioursOf, type ProviderBehaviours } from '../behaviours'
import { Clock } from '../clock'
import { checkedOrigin } from '../http/server'
import { samplePeople } from '../people'
import type { Endpoint, FakeProviderOptions, Fault, LoggedRequest } from '../types'
import { Applications, checkedName } from './applications'
import { Grants } from './grants'
import { Users } from './users'

const MAX_REQUESTS = 20_000
// Any website can make its visitors send requests to a provider on their machine.
const MAX_LOG_LENGTH = 32 * 1024 * 1024

/** The provider's state, for its endpoints and pages. */
export class State {
  /** What the pages call the provider. */
  readonly name: string
  readonly clock: Clock
  readonly rateLimit: number
  /** Whether requests under any name of this machine are answered. */
  readonly allowRemote: boolean
  behaviours: ProviderBehaviours
  readonly report: ((line: string) => void) | undefined
  /** Undefined on the application's own server, if it was not given. */
  origin: string | undefined
  readonly applications = new Applications()
  readonly users = new Users()
  readonly grants = new Grants(this)
  /** The faults of the next requests to each endpoint, each with the number of requests that it is left for. */
  readonly faults: Readonly<Record<Endpoint, { readonly fault: Fault; times: number }[]>> = {
    oauth: [],
    authorize: [],
    'user/me': [],
    get_user_info: [],
  }
  /** The newest requests to the four endpoints. */
  readonly requests: LoggedRequest[] = []
  #logLength = 0
  /** Whether `origin` is the one that was given, and not that of the address. */
  readonly hasPublicOrigin: boolean

  /** @throws TypeError or RangeError when an option has an invalid value. */
  constructor({ rateLimit = 1000, ...options }: FakeProviderOptions) {
    this.rateLimit = rateLimit
    this.name = checkedName(options.name ?? 'Fake Social')
    this.clock = options.clock ?? new Clock()
    this.report = options.log
    this.allowRemote = options.allowRemote ?? false
    this.behaviours = behavioursOf(options.mode)
    this.origin = options.origin === undefined ? undefined : checkedOrigin(options.origin)
    this.hasPublicOrigin = this.origin !== undefined
    for (const user of options.users ?? samplePeople) this.users.add(user)
  }

  /** The fault of a request that has come to the endpoint. */
  nextFault(endpoint: Endpoint): Fault {
    const [next] = this.faults[endpoint]
    if (!next) return {}
    next.times -= 1
    if (next.times === 0) this.faults[endpoint].shift()
    return next.fault
  }

  log(request: LoggedRequest): void {
    this.requests.push(request)
    this.#logLength += lengthOf(request)
    while (this.requests.length > MAX_REQUESTS || this.#logLength > MAX_LOG_LENGTH) {
      const oldest = this.requests.shift()
      this.#logLength -= oldest ? lengthOf(oldest) : this.#logLength
    }
  }

  clearRequests(): void {
    this.requests.length = 0
    this.#logLength = 0
  }

  /** @returns whether there was one */
  removeApplication(appID: string): boolean {
    this.grants.forgetApplication(appID)
    return this.applications.delete(appID)
  }

  /** @returns whether there was one */
  removeUser(userID: string): boolean {
    this.grants.forgetUser(userID)
    return this.users.delete(userID)
  }
}

/** The characters of a request, which its parsed members repeat. */
function lengthOf({ path, body, headers }: LoggedRequest): number {
  return path.length + body.length + JSON.stringify(headers).length
}
