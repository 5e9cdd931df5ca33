import type { Deployment } from './deployment'
import type { HealthPoller } from './health-poller'
import type { LoginRecord } from './visitors'

/** The time from a fault to its repair. */
export interface Outage {
  readonly began: number
  readonly cured: number
}

/** The result of a trial. */
export interface Report {
  readonly trial: string
  readonly attempted: number
  readonly good: number
  /** Number of failed logins by step and answer. */
  readonly failed: Readonly<Record<string, number>>
  /** Failed logins that started outside of an outage. */
  readonly failedWhileWhole: number
  /** Keys that were exchanged although the login failed. */
  readonly spentInVain: number
  /** Seconds from the repair to the last step that failed after it; the worst of several outages. */
  readonly goodAgainS: number
  /** Users who were shown another user's account. */
  readonly mixedUp: number
  /** Accounts that were shown to a user and no longer exist. */
  readonly lost: number
  /** Users who were shown more than one account. */
  readonly doubled: number
  /** Processes that exited without being told to. */
  readonly crashes: number
  /** The longest answer of `/healthz`. */
  readonly healthMs: number
  /** Seconds in which every process returned 200 although no login succeeded whose last step started then, or the reverse. */
  readonly healthWrongS: number
  /** Seconds that processes took to stop on SIGTERM, in order. */
  readonly endedS: readonly number[]
}

interface Observed {
  readonly trial: string
  readonly logins: readonly LoginRecord[]
  readonly outages: readonly Outage[]
  readonly health: HealthPoller
  readonly endedS: readonly number[]
  readonly deployment: Deployment
  /** The ids in the table of accounts, at the end. */
  readonly accounts: ReadonlySet<string>
}

export function reportOf({ trial, logins, outages, health, endedS, deployment, accounts }: Observed): Report {
  const good = logins.filter(isGood)
  const failed = logins.filter((login) => !isGood(login))
  const shown = accountsShown(good)
  return {
    trial,
    attempted: logins.length,
    good: good.length,
    failed: countedBy(failed.map(({ outcome }) => outcome)),
    failedWhileWhole: failed.filter((login) => !outages.some((outage) => overlaps(login, outage))).length,
    spentInVain: spentInVain(failed, deployment),
    goodAgainS: Math.max(0, ...outages.map((outage, index) => goodAgain(failed, outage, outages[index + 1]))),
    mixedUp: logins.filter(({ outcome }) => outcome === 'mixed up').length,
    lost: [...shown.values()].flatMap((ids) => [...ids]).filter((id) => !accounts.has(id)).length,
    doubled: [...shown.values()].filter((ids) => ids.size > 1).length,
    crashes: deployment.crashes,
    healthMs: health.longestMs,
    healthWrongS: secondsOfWrongHealth(logins, health),
    endedS,
  }
}

function isGood({ outcome }: LoginRecord): boolean {
  return outcome === 'good'
}

function overlaps(login: LoginRecord, outage: Outage): boolean {
  return login.ended >= outage.began && login.began <= outage.cured
}

function accountsShown(good: readonly LoginRecord[]): Map<string, Set<string>> {
  const shown = new Map<string, Set<string>>()
  for (const { person, account } of good) {
    if (account !== undefined) shown.set(person, (shown.get(person) ?? new Set()).add(account))
  }
  return shown
}

function countedBy(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

function spentInVain(failed: readonly LoginRecord[], { provider }: Deployment): number {
  const exchanges = provider.requests.filter(({ endpoint, status }) => endpoint === 'authorize' && status === 200)
  const spent = new Set(exchanges.map(({ form }) => form['auth_key']))
  return failed.filter(({ key }) => key !== undefined && spent.has(key)).length
}

function goodAgain(failed: readonly LoginRecord[], { cured }: Outage, next: Outage | undefined): number {
  const until = next?.began ?? Number.POSITIVE_INFINITY
  const after = failed.filter(({ lastStepBegan, ended }) => lastStepBegan >= cured && ended < until)
  return Math.max(0, ...after.map(({ lastStepBegan }) => (lastStepBegan - cured) / 1000))
}

function secondsOfWrongHealth(logins: readonly LoginRecord[], health: HealthPoller): number {
  const second = (at: number): number => Math.floor(at / 1000)
  let wrong = 0
  for (const now of new Set(logins.map(({ lastStepBegan }) => second(lastStepBegan)))) {
    const decided = logins.filter(({ lastStepBegan }) => second(lastStepBegan) === now)
    const answers = health.answers.filter(({ at }) => second(at) === now)
    // A single login may fail or succeed by chance.
    if (decided.length < 2 || answers.length === 0) continue
    const isHealthy = answers.every(({ status }) => status === 200)
    const isIll = answers.every(({ status }) => status !== 200)
    if ((isHealthy && !decided.some(isGood)) || (isIll && decided.every(isGood))) wrong += 1
  }
  return wrong
}
