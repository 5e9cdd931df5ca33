import { setTimeout as sleep } from 'node:timers/promises'
import { useExamples } from '../../support/example/use-examples'

// The fake provider is a server of Node, which closes idle connections after five seconds.
const LONGER_THAN_CONNECTIONS_MS = 6500

describe('a process that was frozen between start and callback, as a suspended machine is', () => {
  const examples = useExamples('each test')

  test('finishes the logins, although the provider has closed the connections to it', async () => {
    const { appURL, stop } = await examples.start()
    // Leaves a kept connection to the provider; each start below leaves a spare one or uses one.
    await examples.visitor('3').signIn(appURL)
    const [after, during] = [examples.visitor('1'), examples.visitor('2')]
    await after.begin(appURL)
    await during.begin(appURL)
    examples.provider.clearRequests()
    void stop('SIGSTOP')
    const waiting = during.comeBack(appURL)
    await sleep(LONGER_THAN_CONNECTIONS_MS)
    void stop('SIGCONT')
    await Promise.all([waiting, after.comeBack(appURL)])
    expect(examples.provider.requests).toHaveLength(4)
    expect((await after.whoAmI(appURL))?.['displayName']).toBe('Ada Lovelace')
    expect((await during.whoAmI(appURL))?.['displayName']).toBe('Alan Turing')
  })
})
