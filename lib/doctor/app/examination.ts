import { isFirewall } from '../../client/http/page'
import { OUTCOMES, type OutcomeCode } from '../../errors'
import type { AppArguments } from '../arguments'
import { invented } from '../endpoints'
import type { Finding, Level, Observer } from '../examination'
import { printable } from '../text'
import { type AppCode, findingOf, type Instead } from './findings'
import { type Answer, type Ask, script, type Visit } from './site'

const MAX_SHOWN = 100
const PASSING = /^(overloaded|provider_rate_limited)$/

/** What an examination of an application has found so far. */
export class AppExamination {
  readonly findings: Finding[] = []

  constructor(
    readonly input: AppArguments,
    readonly ask: Ask,
    readonly observer: Observer,
  ) {}

  /** @param seen what stands for `{}` in the sentence: of what comes from outside, only addresses and names */
  readonly tell = (code: AppCode, seen: string | number = '', level?: Level): void => {
    const finding = findingOf(code, shown(`${seen}`))
    this.#add(level ? { ...finding, level } : finding)
  }

  /** Reports an outcome that this request should not have had. */
  tellOutcome(code: OutcomeCode, check: string): void {
    this.#add({ level: PASSING.test(code) ? 'differs' : 'broken', code, check, message: OUTCOMES[code].message })
  }

  /** Reports a response that does not come from the login. Sends the request once more as a script. */
  async tellInstead(part: 'start' | 'callback', visit: Visit, answer: Answer): Promise<void> {
    const { ask, tell } = this
    const { url } = visit
    const { status, location, text } = answer
    const known = insteadBy(answer)
    if (known !== undefined) return tell(`${part}_${known}`, status)
    const isForScripts = (await ask({ ...visit, headers: script(url) })).mark !== undefined
    // A waiting room reloads by itself, and is not the single page.
    if (status < 300 && !/http-equiv=["']?refresh/i.test(text)) {
      const other = await ask({ ...visit, url: new URL(invented(), url.origin) })
      const words = `${isForScripts ? 'Only a script reaches' : 'Nor does a script reach'} the login.`
      const isAlike = other.status === status && Math.abs(other.text.length - text.length) < 64
      if (isAlike) return tell(`${part}_single_page`, words)
    }
    if (isForScripts) tell(`${part}_intercepted`, status)
    else if (location) tell(`${part}_${pathOf(location) === pathOf(url) ? 'redirects' : 'wall'}`, addressOf(location))
    else if (status < 400) tell(`${part}_other_page`, status)
    else tell(`${part}_${status === 401 ? 'wall' : status === 503 ? 'gateway' : 'blocked'}`, status)
  }

  #add(finding: Finding): void {
    this.findings.push(finding)
    this.observer.finding(finding)
  }
}

/** What the response alone shows. */
function insteadBy({ status, headers, text }: Answer): Instead | undefined {
  if (status === 429) return 'rate_limited'
  if (status >= 400 && isFirewall(status, headers, text)) return 'blocked'
  if ([404, 405, 410].includes(status)) return 'not_found'
  if (status === 502 || status === 504) return 'gateway'
  return status >= 500 && status !== 503 ? 'error' : undefined
}

/** The path without what redirects often change: a slash at the end, capitals. */
export function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '').toLowerCase()
}

/** The URL without its query, which may hold a secret. */
export function addressOf({ origin, pathname }: URL): string {
  return origin + pathname
}

function shown(text: string): string {
  const plain = printable(text)
  return plain.length <= MAX_SHOWN ? plain : `${plain.slice(0, MAX_SHOWN - 3)}...`
}
