import { type Application, FakeProvider, type FakeProviderOptions } from '../../../lib/testing'
import { type Browser, closeBrowsers } from '../browser'
import { freePort } from '../free-port'
import { type RunningExample, startExample, temporaryFolder } from './example-app'
import { providerEnvironment, registerExample, Visitor } from './visitor'

interface Stoppable {
  stop(signal?: NodeJS.Signals): Promise<unknown>
}

/** For tests of the example: a provider, processes of the example that use it, and their visitors. */
export interface Examples {
  readonly provider: FakeProvider
  /** The example as the provider knows it. */
  readonly application: Application
  /** The environment of a process: a data folder of the test, and the provider. */
  readonly environment: Readonly<Record<string, string>>
  /** Starts a process with these variables besides. It is killed at the end. */
  start(variables?: Readonly<Record<string, string>>): Promise<RunningExample>
  /** The same, with the port that the provider knows: it redirects real browsers there. */
  startForBrowsers(): Promise<RunningExample>
  /** A user with their own browser. */
  visitor(userID?: string, proxyHeaders?: Readonly<Record<string, string>>, browser?: Browser): Visitor
  /** A key that the provider issues for a user now. */
  newKey(userID: string): string
  /** How many keys the provider has been asked to exchange. */
  exchanges(): number
  /** Stops this at the end, in reverse order of starting. */
  stopLater<T extends Stoppable>(started: T): T
}

/** Starts a provider before each test of the block, or before all. What was started is stopped afterwards. */
export function useExamples(areFor: 'each test' | 'all tests', options: FakeProviderOptions = {}): Examples {
  let provider: FakeProvider
  let application: Application
  let folder: ReturnType<typeof temporaryFolder>
  const started: Stoppable[] = []
  const begin = async (): Promise<void> => {
    folder = temporaryFolder()
    provider = await FakeProvider.start(options)
    application = registerExample(provider)
  }
  const end = async (): Promise<void> => {
    for (const each of started.splice(0).reverse()) await each.stop('SIGKILL')
    await provider.stop()
    folder.remove()
  }
  if (areFor === 'each test') {
    beforeEach(begin)
    afterEach(end)
  } else {
    beforeAll(begin)
    afterAll(end)
  }
  afterAll(closeBrowsers)

  const examples: Examples = {
    get provider() {
      return provider
    },
    get application() {
      return application
    },
    get environment() {
      return { DATA_DIR: folder.path, ...providerEnvironment(provider, application) }
    },
    start: async (variables) => examples.stopLater(await startExample({ ...examples.environment, ...variables })),
    startForBrowsers: async () => {
      const port = await freePort()
      const redirectURL = application.redirectURL.replace('3000', String(port))
      application = provider.updateApplication(application.appID, { redirectURL })
      return examples.start({ PORT: String(port) })
    },
    visitor: (userID = '1', proxyHeaders = {}, browser) =>
      new Visitor(provider, application, userID, proxyHeaders, browser),
    newKey: (userID) => provider.issueAuthKey({ appID: application.appID, userID }),
    exchanges: () => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length,
    stopLater: (running) => {
      started.push(running)
      return running
    },
  }
  return examples
}
