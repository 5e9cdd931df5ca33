import fc from 'fast-check'
import { exchangeRaw, type Outcome } from './connection'
import { type Part, part } from './requests'
import type { FuzzedApplication } from './world'

const LANES = 48
const RENEW_EVERY = 40

/** Length of a campaign: ends at the first limit reached. */
export interface Length {
  readonly requests: number
  readonly milliseconds: number
}

/** The result of a campaign. */
export interface Report {
  readonly requests: number
  readonly perSecond: number
  readonly statuses: Readonly<Record<number, number>>
  /** The first fault, with the smallest requests that cause it: for the table of test/example-app/races/requests.test.ts. */
  readonly fault: string | undefined
  /** Megabytes after a third of the campaign, and at its end. */
  readonly megabytes: readonly [number | undefined, number | undefined]
}

/** Sends random requests over many connections at once, and judges every answer. */
export async function runCampaign(application: FuzzedApplication, seed: number, length: Length): Promise<Report> {
  const statuses: Record<number, number> = {}
  const start = performance.now()
  let [requests, turn, fault, early] = [0, 0, undefined as string | undefined, undefined as number | undefined]
  const share = (): number => Math.max(requests / length.requests, (performance.now() - start) / length.milliseconds)
  const work = async (): Promise<void> => {
    let isOver = false
    const property = fc.asyncProperty(part, async (sent) => {
      // Another run of this lane would wait as long again.
      if (isOver) return
      const texts = sent.requests.map((text) => application.fill(text))
      const outcome = await play(application, texts, sent)
      requests += texts.length
      for (const status of outcome.statuses) statuses[status] = (statuses[status] ?? 0) + 1
      isOver = outcome.end === 'hang' || outcome.end === 'refused'
      const problem = problemOf(outcome, texts)
      if (problem !== undefined) throw new Error(problem)
    })
    while (share() < 1 && fault === undefined) {
      await application.renew()
      const run = await fc.check(property, { seed: seed + turn++, numRuns: RENEW_EVERY, unbiased: true })
      if (run.failed) fault ??= `${run.errorInstance}: ${fc.stringify(run.counterexample).slice(0, 4000)}`
      if (early === undefined && share() > 1 / 3) early = application.megabytes()
    }
  }
  await Promise.all(Array.from({ length: LANES }, work))
  const perSecond = Math.round((requests * 1000) / (performance.now() - start))
  return { requests, perSecond, statuses, fault, megabytes: [early, application.megabytes()] }
}

function play(
  { port, deadline }: FuzzedApplication,
  texts: readonly string[],
  { isAborted, cut }: Part,
): Promise<Outcome> {
  const bytes = texts.join('')
  // Node answers a request with `Upgrade`, and drops what follows it.
  const isUpgrade = texts.some((text) => /^connection:.*upgrade/im.test(text))
  const cutAt = cut === undefined ? undefined : Math.floor(cut * bytes.length)
  return exchangeRaw({ port, bytes, answers: isUpgrade ? undefined : texts.length, isAborted, deadline, cutAt })
}

/** What is wrong with the answers to these requests. */
function problemOf({ statuses, end }: Outcome, texts: readonly string[]): string | undefined {
  if (end === 'refused') return 'nobody listens any more'
  if (end === 'hang') return 'no answer and no close'
  const fault = statuses.find((status, index) => isFault(status, texts[index] ?? ''))
  return fault === undefined ? undefined : `status ${fault}`
}

/** 503 is the answer to a speculative request; any other 5xx is a fault. */
function isFault(status: number, text: string): boolean {
  // WebKit requests a navigation once more for a service worker: it accepts no page.
  const acceptsNoPage = /^sec-fetch-mode: *navigate/im.test(text) && /^accept:(?!.*text\/html)/im.test(text)
  const isSpeculation = /^(sec-)?purpose:/im.test(text) || acceptsNoPage
  return status >= 500 && !(status === 503 && isSpeculation)
}
