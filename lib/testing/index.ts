export {
  type PostAnswer,
  type ProviderBehaviours,
  type ProviderMode,
  type RateLimitAnswer,
  specification,
  wild,
} from './behaviours'
export { Clock } from './clock'
export { providerNavigation, sameOriginNavigation } from './navigation'
export { FakeProvider } from './provider'
export type {
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
