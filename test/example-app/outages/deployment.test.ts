import { setTimeout as sleep } from 'node:timers/promises'
import { outageTest } from '../../support/outages/goals'
import { runTrial } from '../../support/outages/trial'
import { closeVisitors } from '../../support/outages/visitors'
import { describeWithPostgres } from '../../support/postgres/postgres'

// Short versions of what test/outages does at length; nothing here depends on how fast the machine is.

afterAll(closeVisitors)

const SHORT = { isShort: true, perSecond: 5, settleMs: 4000 }
const NOBODY_HARMED = { mixedUp: 0, lost: 0, doubled: 0, crashes: 0, failedWhileWhole: 0 }

describeWithPostgres('a deployment of two processes', () => {
  outageTest('outlives a Postgres that is restarted at once, twice', async (name) => {
    const report = await runTrial(name, SHORT, async (trial) => {
      const { postgres } = trial.deployment
      for (let time = 0; time < 2; time += 1) {
        await trial.outage(async () => {
          await postgres.down()
          await sleep(300)
          await postgres.up()
        })
        await sleep(3000)
      }
    })
    expect(report).toMatchObject(NOBODY_HARMED)
    expect(report.good).toBeGreaterThan(report.attempted / 2)
  })

  outageTest('loses no login while its processes are replaced', async (name) => {
    const report = await runTrial(name, SHORT, async (trial) => {
      for (const old of [0, 1]) {
        await trial.deployment.add()
        trial.terminate(trial.deployment.everyProcess[old])
        await trial.ended()
      }
    })
    expect(report).toMatchObject({ ...NOBODY_HARMED, failed: {}, good: report.attempted })
  })

  outageTest('outlives a provider that is restarted', async (name) => {
    const report = await runTrial(name, SHORT, async (trial) => {
      const { providerProxy } = trial.deployment
      await trial.outage(async () => {
        await providerProxy.refuse()
        await sleep(1000)
        await providerProxy.accept()
      })
    })
    expect(report).toMatchObject(NOBODY_HARMED)
  })
})
