export {
  asDeployed,
  type ProviderBehaviours,
  type ProviderMode,
  specification,
} from './behaviours'
export { Clock } from './clock'
export { providerNavigation, sameOriginNavigation } from './navigation'
export { checkPendingLoginStore } from './pending-login-store/check'
export type { PendingLoginStoreCheck, StorageOutage } from './pending-login-store/deployment'
export { FakeProvider } from './provider'
export { type SignInOptions, signIn } from './sign-in'
export type { Listener, PlaywrightRequest, SendRequest, TestAgent, TestBrowser } from './test-browser'
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
