import { FakeProvider, type FakeProviderOptions } from '../../lib/testing'
import { type AppOptions, type RunningApp, startApp } from './app'
import { closeBrowsers } from './browser'

/** A provider for the tests of a file or block, and the applications that they start. */
export interface Logins {
  /** The provider of the test; undefined before the test starts. */
  readonly provider: FakeProvider
  /** Starts an application that signs in with the provider. It is stopped after the test. */
  startApp(options?: AppOptions): Promise<RunningApp>
  /** Stops this after the test, in reverse order of starting. */
  stopLater<T extends { stop(): Promise<unknown> }>(started: T): T
  /** How many keys the provider has been asked to exchange. */
  exchanges(): number
}

/**
 * Starts a provider before each test of the file or block, or one for all of them, whose requests and faults are
 * cleared after each. Everything started is stopped, and the browsers' sockets are closed at the end.
 */
export function useLogins(
  providerIsFor: 'each test' | 'all tests' = 'each test',
  options?: FakeProviderOptions,
): Logins {
  let provider: FakeProvider | undefined
  const started: { stop(): Promise<unknown> }[] = []
  const start = async (): Promise<void> => {
    provider = await FakeProvider.start(options)
  }

  if (providerIsFor === 'each test') beforeEach(start)
  else beforeAll(start)
  afterEach(async () => {
    for (const each of started.splice(0).reverse()) await each.stop()
    if (providerIsFor === 'each test') return provider?.stop()
    provider?.clearRequests()
    provider?.clearFaults()
  })
  afterAll(async () => {
    if (providerIsFor === 'all tests') await provider?.stop()
    await closeBrowsers()
  })

  const logins: Logins = {
    get provider() {
      if (!provider) throw new Error('the provider starts with the test')
      return provider
    },
    startApp: async (more) => logins.stopLater(await startApp(logins.provider, more)),
    stopLater: (running) => {
      started.push(running)
      return running
    },
    exchanges: () => logins.provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length,
  }
  return logins
}
