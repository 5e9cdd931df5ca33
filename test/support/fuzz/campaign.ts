import { exchangeRaw, type Outcome } from './connection'
import { type Finding, Findings } from './findings'
import { Random } from './random'
import { type Part, partOf } from './requests'
import type { FuzzedApplication } from './world'

const LANES = 48
const RENEW_EVERY = 40
const MOST_FINDINGS = 12

/** Length of a campaign: ends at the first limit reached. */
export interface Length {
  readonly requests: number
  readonly milliseconds: number
}

/** The result of a campaign. */
export interface Report {
  readonly seed: number
  readonly requests: number
  readonly perSecond: number
  readonly statuses: Readonly<Record<number, number>>
  readonly findings: readonly Finding[]
  /** Megabytes after a third of the campaign, and at its end. */
  readonly megabytes: readonly [number | undefined, number | undefined]
}

/** Sends random requests over many connections at once, and judges every answer. */
export async function runCampaign(application: FuzzedApplication, seed: number, length: Length): Promise<Report> {
  const findings = new Findings(application)
  const statuses: Record<number, number> = {}
  const start = performance.now()
  let [part, requests, early] = [0, 0, undefined as number | undefined]
  const share = (): number => Math.max(requests / length.requests, (performance.now() - start) / length.milliseconds)
  const work = async (): Promise<void> => {
    while (share() < 1 && findings.all.length < MOST_FINDINGS && !findings.isDown) {
      const number = part++
      if (number % RENEW_EVERY === 0) await application.renew(new Random(Random.partSeed(seed, -number)))
      const sent = partOf(seed, number)
      requests += sent.requests.length
      const texts = sent.requests.map(({ text }) => application.fill(text))
      const outcome = await play(application, texts, sent)
      for (const status of outcome.statuses) statuses[status] = (statuses[status] ?? 0) + 1
      await findings.judge({ sent, texts, outcome, part: number })
      if (early === undefined && share() > 1 / 3) early = application.megabytes()
    }
  }
  await Promise.all(Array.from({ length: LANES }, work))
  const perSecond = Math.round((requests * 1000) / (performance.now() - start))
  return { seed, requests, perSecond, statuses, findings: findings.all, megabytes: [early, application.megabytes()] }
}

function play(
  { port, deadline }: FuzzedApplication,
  texts: readonly string[],
  { requests, ending, cut }: Part,
): Promise<Outcome> {
  const bytes = texts.join('')
  // Node answers a request with `Upgrade`, and drops what follows it.
  const isFramed = requests.every(({ isFramed, text }) => isFramed && !/^connection:.*upgrade/im.test(text))
  return exchangeRaw({
    port,
    bytes,
    answers: isFramed ? requests.length : undefined,
    ending,
    deadline,
    cutAt: cut === undefined ? undefined : Math.floor(cut * bytes.length),
  })
}
