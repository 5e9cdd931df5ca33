import { setTimeout as sleep } from 'node:timers/promises'
import { expectNobodyHarmed, outageTest } from '../../support/outages/goals'
import { printTable } from '../../support/outages/table'
import { runTrial } from '../../support/outages/trial'
import { closeVisitors } from '../../support/outages/visitors'
import { describeWithPostgres } from '../../support/postgres/postgres'

afterAll(async () => {
  printTable()
  await closeVisitors()
})

const WITH_A_STOP = { processes: 3 }
const OUTAGE_MS = 15_000

describeWithPostgres('outages of the provider', () => {
  outageTest('the provider is restarted four times', async (name) => {
    const report = await runTrial(name, WITH_A_STOP, async (trial) => {
      const { providerProxy, processes } = trial.deployment
      for (let time = 0; time < 4; time += 1) {
        await trial.outage(async () => {
          await providerProxy.refuse()
          if (time === 1) trial.terminate(processes[2])
          await sleep(1000)
          await providerProxy.accept()
        })
        await sleep(3000)
      }
    })
    expectNobodyHarmed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(1)
  })

  outageTest('the provider answers 503 for every profile, for 10 s', async (name) => {
    const report = await runTrial(name, WITH_A_STOP, async (trial) => {
      const { provider, processes } = trial.deployment
      await trial.outage(async () => {
        provider.failNext('user/me', { status: 503 }, { times: 10_000 })
        await sleep(1000)
        trial.terminate(processes[2])
        await sleep(9000)
        provider.clearFaults()
      })
    })
    expectNobodyHarmed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(1)
  })

  outageTest('the provider answers 503 for one profile in three', async (name) => {
    const report = await runTrial(name, WITH_A_STOP, async (trial) => {
      const { provider, processes } = trial.deployment
      await trial.outage(async () => {
        for (let time = 0; time < 40; time += 1) {
          provider.failNext('user/me', { status: 503 })
          if (time === 20) trial.terminate(processes[2])
          await sleep(375)
        }
        provider.clearFaults()
      })
    })
    expectNobodyHarmed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(1)
  })

  outageTest('the provider is frozen for 15 s', async (name) => {
    const report = await runTrial(name, { ...WITH_A_STOP, settleMs: 15_000 }, async (trial) => {
      const { providerProxy, processes } = trial.deployment
      await trial.outage(async () => {
        providerProxy.silenceAll()
        await sleep(1000)
        trial.terminate(processes[2])
        await sleep(OUTAGE_MS)
        // What a frozen process leaves behind when it is replaced.
        providerProxy.passNew()
        providerProxy.reset()
      })
    })
    expectNobodyHarmed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(2)
  })
})
