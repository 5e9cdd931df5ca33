import { setTimeout as sleep } from 'node:timers/promises'
import { FakeProvider } from '../../../lib/testing'
import { startExample, temporaryFolder } from './example-app'
import { providerEnvironment, registerExample, Visitor } from './visitor'

/** What became of two people who had started a login when the process froze. */
export interface FrozenLogins {
  /** The name of the person whose callback came after the freeze. */
  readonly after: unknown
  /** The name of the person whose callback came during the freeze. */
  readonly during: unknown
  /** How many exchanges and profiles the provider was asked for by these two. */
  readonly requests: number
}

/** Stops the process of the example between start and callback (SIGSTOP), as a suspended machine or container is. */
export async function freezeBetweenStartAndCallback(seconds: number): Promise<FrozenLogins> {
  const folder = temporaryFolder()
  const provider = await FakeProvider.start()
  const application = registerExample(provider)
  const environment = { DATA_DIR: folder.path, SESSION_SECRET: 'a secret of sixteen or more' }
  const { appURL, stop } = await startExample({ ...environment, ...providerEnvironment(provider, application) })
  try {
    // Leaves a kept connection to the provider; each start below leaves a spare one or uses one.
    await new Visitor(provider, application, '3').signIn(appURL)
    const [after, during] = ['1', '2'].map((id) => new Visitor(provider, application, id))
    if (!after || !during) throw new Error('there are two')
    await after.begin(appURL)
    await during.begin(appURL)
    const requestsBefore = provider.requests.length
    void stop('SIGSTOP')
    const waiting = during.comeBack(appURL)
    await sleep(seconds * 1000)
    void stop('SIGCONT')
    await Promise.all([waiting, after.comeBack(appURL)])
    const requests = provider.requests.length - requestsBefore
    const nameOf = async (visitor: Visitor): Promise<unknown> => (await visitor.whoAmI(appURL))?.['displayName']
    return { after: await nameOf(after), during: await nameOf(during), requests }
  } finally {
    await stop('SIGKILL')
    await provider.stop()
    folder.remove()
  }
}
