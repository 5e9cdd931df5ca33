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

const FIFTEEN_DAYS_MS = 15 * 24 * 60 * 60 * 1000

describeWithPostgres('outages of processes', () => {
  outageTest('processes are replaced one after the other, twice', async (name) => {
    const report = await runTrial(name, {}, async (trial) => {
      const { deployment } = trial
      for (const old of [0, 1, 2, 3]) {
        await deployment.add()
        await sleep(2000)
        trial.terminate(deployment.everyProcess[old])
        await trial.ended()
      }
    })
    expectNobodyHarmed(report)
    expect(report.failed).toEqual({})
  })

  outageTest('one process is killed, and another started', async (name) => {
    const report = await runTrial(name, { processes: 3 }, async (trial) => {
      const { deployment } = trial
      const [victim] = deployment.processes
      if (!victim) throw new Error('There is no process to kill')
      await trial.outage(() => deployment.kill(victim))
      await sleep(5000)
      await deployment.add()
      await sleep(2000)
      trial.terminate(deployment.processes[0])
    })
    expectNobodyHarmed(report)
    // A killed process takes along what it was about to answer.
    expect(report.attempted - report.good).toBeLessThanOrEqual(5)
    expect(report.goodAgainS).toBeLessThanOrEqual(2)
  })

  outageTest('one process has a clock 15 days ahead, and cleans', async (name) => {
    const report = await runTrial(name, {}, async (trial) => {
      const { deployment } = trial
      await deployment.add({ CLOCK_AHEAD_MS: String(FIFTEEN_DAYS_MS) }, ['clock-ahead', 'frequent-cleaning'])
      await sleep(15_000)
      trial.terminate(deployment.processes.at(-1))
      await sleep(5000)
    })
    // A login that passes through two processes with so different clocks cannot succeed; nothing may be destroyed by it.
    expectNobodyHarmed(report)
  })
})
