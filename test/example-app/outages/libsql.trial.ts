import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../../example-app/storage/open-database'
import { expectNobodyHarmed, outageTest } from '../../support/outages/goals'
import { printTable } from '../../support/outages/table'
import { runTrial } from '../../support/outages/trial'
import { closeVisitors } from '../../support/outages/visitors'

afterAll(async () => {
  printTable()
  await closeVisitors()
})

const EXPIRED_SESSIONS = 500_000
const BATCH = 1000

describe('outages of a libsql file', () => {
  outageTest('a libsql file is shared by two processes', async (name) => {
    const report = await runTrial(name, { postgres: false, processes: 3 }, async (trial) => {
      await sleep(3000)
      trial.terminate(trial.deployment.processes[2])
    })
    expectNobodyHarmed(report)
    expect(report.failed).toEqual({})
  })

  outageTest('a libsql file has 500,000 expired sessions, which are deleted under load', async (name) => {
    const report = await runTrial(name, { postgres: false, processes: 1 }, async (trial) => {
      const { deployment } = trial
      await insertExpiredSessions(deployment.folder.path)
      await deployment.add({}, ['frequent-cleaning'])
      await sleep(2000)
      trial.terminate(deployment.processes[0])
      await sleep(18_000)
    })
    expectNobodyHarmed(report)
    expect(report.failed).toEqual({})
  })
})

/** In small pieces, so that it is the cleaning that disturbs the logins. */
async function insertExpiredSessions(folder: string): Promise<void> {
  const database = openDatabase(undefined, folder)
  const sql = `insert into sessions (id, data, expires_at)
    with recursive counter (n) as (select 1 union all select n + 1 from counter where n < ${BATCH})
    select 'expired-' || $1 || '-' || n, '{"cookie":{}}', 1 from counter`
  for (let batch = 0; batch < EXPIRED_SESSIONS / BATCH; batch += 1) {
    await database.query(sql, [batch])
    await sleep(10)
  }
  await database.close()
}
