import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../../../example-app/storage/open-database'
import { Deployment, type DeploymentOptions } from './deployment'
import type { ExampleProcess } from './example-process'
import { HealthPoller } from './health-poller'
import { type Outage, type Report, reportOf } from './report'
import { Visitors } from './visitors'

export interface TrialOptions extends DeploymentOptions {
  /** Logins started per second. */
  readonly perSecond?: number
  /** Duration of the load after the last repair. */
  readonly settleMs?: number
}

const WARM_UP_MS = 2000
const SETTLE_MS = 8000
// Long enough for callbacks to meet an outage that their starts have not met.
const MAX_THOUGHT_MS = 3000
const PER_SECOND = Number(process.env['OUTAGE_RATE'] ?? 8)

/** A deployment under load, for fault injection. */
export class Trial {
  readonly outages: Outage[] = []
  readonly endedS: number[] = []
  #endings: Promise<void>[] = []

  constructor(readonly deployment: Deployment) {}

  /** Records the duration of `work`, which breaks and repairs something, as an outage. */
  async outage(work: () => Promise<void>): Promise<void> {
    const began = Date.now()
    await work()
    this.outages.push({ began, cured: Date.now() })
  }

  /** Stops a process and measures the time; the trial awaits it at its end. */
  terminate(process: ExampleProcess | undefined): void {
    if (!process) throw new Error('There is no process to stop')
    const ending = this.deployment.terminate(process).then((seconds) => void this.endedS.push(seconds))
    this.#endings.push(ending)
  }

  async ended(): Promise<void> {
    await Promise.all(this.#endings)
  }
}

/** Runs a whole trial: deployment, load, faults, repair, report. */
export async function runTrial(
  name: string,
  { perSecond = PER_SECOND, settleMs = SETTLE_MS, ...options }: TrialOptions,
  work: (trial: Trial) => Promise<void>,
): Promise<Report> {
  const deployment = await Deployment.start(options)
  try {
    const [trial, health] = [new Trial(deployment), new HealthPoller(deployment)]
    const visitors = new Visitors(deployment, MAX_THOUGHT_MS)
    visitors.start(perSecond)
    health.start()
    await sleep(WARM_UP_MS)
    await work(trial)
    await trial.ended()
    await sleep(settleMs)
    await visitors.stop()
    await health.stop()
    const accounts = await accountsOf(deployment)
    const { logins } = visitors
    const { outages, endedS } = trial
    return reportOf({ trial: name, logins, outages, health, endedS, deployment, accounts })
  } finally {
    await deployment.stop()
  }
}

async function accountsOf({ databaseURL, folder }: Deployment): Promise<Set<string>> {
  const database = openDatabase(databaseURL, folder.path)
  try {
    return new Set((await database.query('select id from users')).map(({ id }) => String(id)))
  } finally {
    await database.close()
  }
}
