import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deployment } from '../../support/outages/deployment'
import type { Report } from '../../support/outages/report'
import { runTrial, type Trial, type TrialOptions } from '../../support/outages/trial'
import { closeVisitors } from '../../support/outages/visitors'
import { describeWithPostgres, endConnections } from '../../support/postgres/postgres'

/** A fault of a deployment under load, and what is expected. */
interface OutageRow extends TrialOptions {
  readonly title: string
  readonly run: (trial: Trial) => Promise<void>
  /** Seconds after the repair in which logins may still fail. */
  readonly goodAgainS?: number
  /** `/healthz` must report it, and few keys may be spent in vain. */
  readonly isNoticed?: true
  /** How many logins may fail. */
  readonly mostFailed?: number
  /** Nothing of it depends on how fast the machine is, and its report is not kept. */
  readonly isShort?: true
}

const FILE = join(__dirname, '../../../../bench/results/outages.json')
const STOP_WITHIN_S = 15
const HEALTH_WITHIN_MS = 2000
// One check per second on both sides of a change, and a second of transition.
const HEALTH_WRONG_AT_MOST_S = 5
// Logins in flight when a database fails, and those that start before the failure is noticed.
const KEYS_IN_VAIN_AT_MOST = 16
const TRIAL_TIMEOUT_MS = 300_000
const FIFTEEN_DAYS_MS = 15 * 24 * 60 * 60 * 1000

/** How to break a part of a deployment, and how to repair it. */
type Fault = (deployment: Deployment) => readonly [breakIt: () => unknown, repairIt: () => unknown]

const postgresDown: Fault = ({ postgres: { cluster } }) => [() => cluster.halt('SIGQUIT'), () => cluster.resume()]
const postgresFrozen: Fault = ({ postgres: { cluster } }) => [() => cluster.freeze(), () => cluster.thaw()]
const postgresSilent: Fault = ({ postgres: { proxy } }) => [() => proxy.silenceAll(), () => proxy.passNew()]
const postgresReadOnly: Fault = ({ postgres: { cluster, url } }) => [
  () => cluster.setReadOnly(url, true),
  () => cluster.setReadOnly(url, false),
]
const providerDown: Fault = ({ providerProxy }) => [() => providerProxy.refuse(), () => providerProxy.accept()]
const providerUnavailable: Fault = ({ provider }) => [
  () => provider.failNext('user/me', { status: 503 }, { times: 10_000 }),
  () => provider.clearFaults(),
]
const providerFrozen: Fault = ({ providerProxy }) => [
  () => providerProxy.silenceAll(),
  () => {
    // What a frozen process leaves behind when it is replaced.
    providerProxy.passNew()
    providerProxy.reset()
  },
]

/** Breaks it for so long, once or several times; in the second, if any, the last of three processes is told to stop. */
function breakFor(milliseconds: number, fault: Fault, { times = 1, pauseMs = 0 } = {}): OutageRow['run'] {
  return async (trial) => {
    const [breakIt, repairIt] = fault(trial.deployment)
    const [, , third] = trial.deployment.processes
    for (let time = 1; time <= times; time += 1) {
      await trial.outage(async () => {
        await breakIt()
        if (times === 1) await sleep(1000)
        if (time === Math.min(2, times) && third) trial.terminate(third)
        await sleep(milliseconds)
        await repairIt()
      })
      await sleep(pauseMs)
    }
  }
}

/** Each of the first processes is stopped once another has been started. */
function replaceProcesses(count: number): OutageRow['run'] {
  return async (trial) => {
    for (let old = 0; old < count; old += 1) {
      await trial.deployment.add()
      trial.terminate(trial.deployment.everyProcess[old])
      await trial.ended()
    }
  }
}

async function silenceOpenConnections(trial: Trial): Promise<void> {
  const { postgres, processes } = trial.deployment
  // Slow for a moment, so that every process opens as many connections as it may.
  postgres.proxy.delayMs = 250
  await sleep(3000)
  postgres.proxy.delayMs = 0
  await sleep(2000)
  // The database is available immediately: every new connection works.
  await trial.outage(async () => postgres.proxy.silenceOpen())
  await sleep(1000)
  trial.terminate(processes[2])
}

async function endTransactions(trial: Trial): Promise<void> {
  const { postgres, processes } = trial.deployment
  const [, , third] = processes
  let ended = 0
  for (const deadline = Date.now() + 60_000; ended < 12 && Date.now() < deadline; ) {
    await trial.outage(async () => {
      ended += await endConnections(postgres.url, 'xact_start is not null')
    })
    if (ended >= 6 && third && trial.deployment.processes.includes(third)) trial.terminate(third)
    await sleep(50)
  }
  expect(ended).toBeGreaterThanOrEqual(12)
}

async function refuseOneProfileInThree(trial: Trial): Promise<void> {
  const { provider, processes } = trial.deployment
  await trial.outage(async () => {
    for (let time = 0; time < 40; time += 1) {
      provider.failNext('user/me', { status: 503 })
      if (time === 20) trial.terminate(processes[2])
      await sleep(375)
    }
    provider.clearFaults()
  })
}

async function killOne(trial: Trial): Promise<void> {
  const { deployment } = trial
  const [victim] = deployment.processes
  if (!victim) throw new Error('There is no process to kill')
  await trial.outage(() => deployment.kill(victim))
  await sleep(5000)
  await deployment.add()
  await sleep(2000)
  trial.terminate(deployment.processes[0])
}

async function setOneClockAhead(trial: Trial): Promise<void> {
  const { deployment } = trial
  await deployment.add({ CLOCK_AHEAD_MS: String(FIFTEEN_DAYS_MS) }, ['clock-ahead', 'frequent-cleaning'])
  await sleep(15_000)
  trial.terminate(deployment.processes.at(-1))
  await sleep(5000)
}

async function stopOneAfter(milliseconds: number, trial: Trial): Promise<void> {
  await sleep(milliseconds)
  trial.terminate(trial.deployment.processes[2])
  await sleep(milliseconds)
}

async function distancePostgres(trial: Trial): Promise<void> {
  trial.deployment.postgres.proxy.delayMs = 100
  await stopOneAfter(10_000, trial)
}

const OF_POSTGRES = { processes: 3, isNoticed: true, goodAgainS: 5 } as const
const OF_PROVIDER = { processes: 3, goodAgainS: 1 }

export const OUTAGES: readonly OutageRow[] = [
  {
    ...OF_POSTGRES,
    title: 'Postgres is restarted (immediate) four times',
    run: breakFor(500, postgresDown, { times: 4, pauseMs: 6000 }),
  },
  { ...OF_POSTGRES, title: 'Postgres is down for 20 s', run: breakFor(20_000, postgresDown) },
  { ...OF_POSTGRES, title: 'Postgres is frozen for 20 s', run: breakFor(20_000, postgresFrozen) },
  { ...OF_POSTGRES, title: 'Postgres is read-only for 10 s', run: breakFor(9000, postgresReadOnly) },
  {
    ...OF_POSTGRES,
    title: 'Postgres is silent on all connections for 20 s',
    settleMs: 20_000,
    run: breakFor(20_000, postgresSilent),
    goodAgainS: 15,
  },
  {
    ...OF_POSTGRES,
    title: 'Postgres is silent on the connections that were open',
    settleMs: 30_000,
    run: silenceOpenConnections,
    goodAgainS: 15,
  },
  {
    title: 'Postgres ends connections within transactions, twelve times',
    processes: 3,
    perSecond: 20,
    run: endTransactions,
    isNoticed: true,
  },
  {
    title: 'Postgres is 200 ms away',
    processes: 3,
    perSecond: 2,
    run: distancePostgres,
    isNoticed: true,
    mostFailed: 0,
  },
  {
    ...OF_PROVIDER,
    title: 'the provider is restarted four times',
    run: breakFor(1000, providerDown, { times: 4, pauseMs: 3000 }),
  },
  {
    ...OF_PROVIDER,
    title: 'the provider answers 503 for every profile, for 10 s',
    run: breakFor(9000, providerUnavailable),
  },
  { ...OF_PROVIDER, title: 'the provider answers 503 for one profile in three', run: refuseOneProfileInThree },
  {
    ...OF_PROVIDER,
    title: 'the provider is frozen for 15 s',
    settleMs: 15_000,
    run: breakFor(15_000, providerFrozen),
    goodAgainS: 2,
  },
  { title: 'processes are replaced one after the other, twice', run: replaceProcesses(4), mostFailed: 0 },
  // A killed process takes along what it was about to answer.
  { title: 'one process is killed, and another started', processes: 3, run: killOne, mostFailed: 5, goodAgainS: 2 },
  // A login that passes through two processes with so different clocks cannot succeed; nothing may be destroyed by it.
  { title: 'one process has a clock 15 days ahead, and cleans', run: setOneClockAhead },
  {
    title: 'a libsql file is shared by two processes',
    postgres: false,
    processes: 3,
    run: (trial) => stopOneAfter(3000, trial),
    mostFailed: 0,
  },
]

const SHORT = { isShort: true, perSecond: 5, settleMs: 4000 } as const

/** Short versions. */
export const SHORT_OUTAGES: readonly OutageRow[] = [
  {
    ...SHORT,
    title: 'Postgres is restarted immediately, twice',
    run: breakFor(300, postgresDown, { times: 2, pauseMs: 3000 }),
  },
  { ...SHORT, title: 'both processes are replaced', run: replaceProcesses(2), mostFailed: 0 },
  { ...SHORT, title: 'the provider is restarted', run: breakFor(1000, providerDown, { times: 2, pauseMs: 1000 }) },
]

/** Runs the trials as tests, and writes down the reports of those that are not short. */
export function outageTests(rows: readonly OutageRow[]): void {
  const reports: Report[] = []
  afterAll(async () => {
    if (reports.length > 0) writeFileSync(FILE, `${JSON.stringify(reports, null, 2)}\n`)
    await closeVisitors()
  })

  describeWithPostgres('a deployment of the example', () => {
    test.each(rows)(
      '$title',
      async ({ title, run, isShort, ...row }) => {
        const report = await runTrial(title, row, run)
        if (!isShort) reports.push(report)
        expect(report).toMatchObject({ mixedUp: 0, lost: 0, doubled: 0, crashes: 0 })
        expect(report.attempted - report.good).toBeLessThanOrEqual(row.mostFailed ?? report.attempted)
        if (isShort) expect(report.failedWhileWhole).toBe(0)
        else expectInTime(report, row)
      },
      TRIAL_TIMEOUT_MS,
    )
  })
}

function expectInTime(report: Report, { goodAgainS = Number.POSITIVE_INFINITY, isNoticed }: Partial<OutageRow>): void {
  expect(report.healthMs).toBeLessThanOrEqual(HEALTH_WITHIN_MS)
  expect(Math.max(0, ...report.endedS)).toBeLessThanOrEqual(STOP_WITHIN_S)
  expect(report.goodAgainS).toBeLessThanOrEqual(goodAgainS)
  if (!isNoticed) return
  expect(report.healthWrongS).toBeLessThanOrEqual(HEALTH_WRONG_AT_MOST_S)
  expect(report.spentInVain).toBeLessThanOrEqual(KEYS_IN_VAIN_AT_MOST)
}
