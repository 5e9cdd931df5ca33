import { setTimeout as sleep } from 'node:timers/promises'
import { expectNobodyHarmed, expectNoticed, outageTest } from '../../support/outages/goals'
import { printTable } from '../../support/outages/table'
import { runTrial } from '../../support/outages/trial'
import { closeVisitors } from '../../support/outages/visitors'
import { describeWithPostgres } from '../../support/postgres/postgres'

afterAll(async () => {
  printTable()
  await closeVisitors()
})

// Of three processes the last is told to stop while something is broken.
const WITH_A_STOP = { processes: 3 }
const OUTAGE_MS = 20_000

describeWithPostgres('outages of Postgres', () => {
  outageTest('Postgres is restarted (immediate) four times', async (name) => {
    const report = await runTrial(name, WITH_A_STOP, async (trial) => {
      const { postgres, processes } = trial.deployment
      for (let time = 0; time < 4; time += 1) {
        await trial.outage(async () => {
          await postgres.down()
          if (time === 1) trial.terminate(processes[2])
          await sleep(500)
          await postgres.up()
        })
        await sleep(6000)
      }
    })
    expectNobodyHarmed(report)
    expectNoticed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(5)
  })

  outageTest('Postgres is down for 20 s', async (name) => {
    const report = await runTrial(name, WITH_A_STOP, async (trial) => {
      const { postgres, processes } = trial.deployment
      await trial.outage(async () => {
        await postgres.down()
        await sleep(1000)
        trial.terminate(processes[2])
        await sleep(OUTAGE_MS)
        await postgres.up()
      })
    })
    expectNobodyHarmed(report)
    expectNoticed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(5)
  })

  outageTest('Postgres is frozen for 20 s', async (name) => {
    const report = await runTrial(name, WITH_A_STOP, async (trial) => {
      const { postgres, processes } = trial.deployment
      await trial.outage(async () => {
        await postgres.freeze()
        await sleep(1000)
        trial.terminate(processes[2])
        await sleep(OUTAGE_MS)
        postgres.thaw()
      })
    })
    expectNobodyHarmed(report)
    expectNoticed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(5)
  })

  outageTest('Postgres is silent on the connections that were open', async (name) => {
    const report = await runTrial(name, { ...WITH_A_STOP, settleMs: 30_000 }, async (trial) => {
      const { postgresProxy, processes } = trial.deployment
      // Slow for a moment, so that every process opens as many connections as it may.
      postgresProxy.delayMs = 250
      await sleep(3000)
      postgresProxy.delayMs = 0
      await sleep(2000)
      // Whole again at once: whoever opens a new connection has a database.
      await trial.outage(async () => postgresProxy.silenceOpen())
      await sleep(1000)
      trial.terminate(processes[2])
    })
    expectNobodyHarmed(report)
    expectNoticed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(15)
  })

  outageTest('Postgres is silent on all connections for 20 s', async (name) => {
    const report = await runTrial(name, { ...WITH_A_STOP, settleMs: 20_000 }, async (trial) => {
      const { postgresProxy, processes } = trial.deployment
      await trial.outage(async () => {
        postgresProxy.silenceAll()
        await sleep(1000)
        trial.terminate(processes[2])
        await sleep(OUTAGE_MS)
        postgresProxy.passNew()
      })
    })
    expectNobodyHarmed(report)
    expectNoticed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(15)
  })

  outageTest('Postgres ends connections within transactions, twelve times', async (name) => {
    const report = await runTrial(name, { ...WITH_A_STOP, perSecond: 20 }, async (trial) => {
      const { postgres, processes } = trial.deployment
      const [, , third] = processes
      let ended = 0
      for (const deadline = Date.now() + 60_000; ended < 12 && Date.now() < deadline; ) {
        await trial.outage(async () => {
          ended += await postgres.terminate({ inTransaction: true })
        })
        if (ended >= 6 && third && trial.deployment.processes.includes(third)) trial.terminate(third)
        await sleep(50)
      }
      expect(ended).toBeGreaterThanOrEqual(12)
    })
    expectNobodyHarmed(report)
    expectNoticed(report)
  })

  outageTest('Postgres is read-only for 10 s', async (name) => {
    const report = await runTrial(name, WITH_A_STOP, async (trial) => {
      const { postgres, processes } = trial.deployment
      await trial.outage(async () => {
        await postgres.setReadOnly(true)
        await sleep(1000)
        trial.terminate(processes[2])
        await sleep(9000)
        await postgres.setReadOnly(false)
      })
    })
    expectNobodyHarmed(report)
    expectNoticed(report)
    expect(report.goodAgainS).toBeLessThanOrEqual(5)
  })

  outageTest('Postgres is 200 ms away', async (name) => {
    const report = await runTrial(name, { ...WITH_A_STOP, perSecond: 2 }, async (trial) => {
      const { postgresProxy, processes } = trial.deployment
      postgresProxy.delayMs = 100
      await sleep(10_000)
      trial.terminate(processes[2])
      await sleep(10_000)
    })
    expectNobodyHarmed(report)
    expectNoticed(report)
    expect(report.good).toBe(report.attempted)
  })
})
