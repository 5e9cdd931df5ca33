import type { PendingLoginStore } from '../../login/pending-login/store'
import { checkArguments } from '../../values'
import { CHECK_STORE, MADE_STORE } from '../argument-kinds'
import { Deployment, type PendingLoginStoreCheck } from './deployment'
import { RULES } from './rules'

/**
 * Tests your own `PendingLoginStore` against all rules of its contract, with real requests to a server of this
 * machine, as two processes of an application get them. Works in every test framework.
 * @param makeStore makes the store of one process; called twice. Both must share their storage.
 * @throws Error that names the rule that is broken, and what was seen
 * @example
 * test('the store keeps its contract', () => checkPendingLoginStore(() => new OwnStore(database)))
 */
export async function checkPendingLoginStore(
  makeStore: () => PendingLoginStore | Promise<PendingLoginStore>,
  options: PendingLoginStoreCheck = {},
): Promise<void> {
  checkArguments('checkPendingLoginStore', CHECK_STORE, [makeStore, options])
  const stores = [await makeStore(), await makeStore()] as const
  for (const store of stores) checkArguments('checkPendingLoginStore: makeStore', MADE_STORE, [store])
  const deployment = new Deployment(stores, options)
  await deployment.start()
  try {
    for (const { rule, check } of RULES) {
      await check(deployment).catch((error: unknown) => {
        const seen = error instanceof Error ? error.message : String(error)
        throw new Error(`The PendingLoginStore breaks the rule "${rule}" Seen: ${seen}`, { cause: error })
      })
    }
  } finally {
    await deployment.stop()
  }
}
