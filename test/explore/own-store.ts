import type { PendingLogin } from '../../lib/login/pending-login/pending-login'
import type { BrowserStore } from '../../lib/login/pending-login/store'
import type { Run } from './run'

/** The records of all browsers, in a store of the application whose `consume` tells which call was the first. */
export type OwnRecords = Map<string, PendingLogin>

/** That store for one request, which waits before each write. */
export function ownStoreOf(run: Run, records: OwnRecords, lost: () => void, denied: () => void): BrowserStore {
  const browser = run.tab.browser.name
  const write = async <T>(change: () => T): Promise<T> => {
    if ((await run.hold('save')) === 'is lost') {
      lost()
      throw new Error('the store failed')
    }
    run.wrote = true
    return change()
  }
  return {
    load: async () => records.get(browser),
    save: (record) => write(() => void records.set(browser, record)),
    consume: (record) =>
      write(() => {
        const saved = records.get(browser)
        const isFirst = saved?.id === record.id && !saved.consumed
        if (isFirst) records.set(browser, { ...saved, consumed: true })
        else if (run.expected?.type === 'accept') denied()
        return isFirst
      }),
  }
}
