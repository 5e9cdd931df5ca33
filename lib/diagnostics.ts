import { hash } from 'node:crypto'
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import { type OutcomeCode, type Phase, SocialLoginError } from './errors'
import { writeDebugLines } from './explain/debug-lines'
import { checkArguments, func, oneOf } from './values'

/**
 * The message of the tracing channel `passport-social-login:<phase>`: one object for a run of the phase, without a
 * secret, key, token, or anything of a user. A `callback` contains the `exchange`, `profile` and `verify` of its
 * login.
 * @example
 * import { tracingChannel } from 'node:diagnostics_channel'
 *
 * const { asyncEnd } = tracingChannel<unknown, TracedPhase>('passport-social-login:exchange')
 * asyncEnd.subscribe((message) => console.log(message))
 */
export interface TracedPhase {
  /** The `name` of the strategy. */
  readonly strategy: string
  /** The `name` of the provider, if the strategy has many, and it is known. */
  readonly provider?: string
  readonly phase: Phase
  /** Digest of the id of the login in progress, the same from its start to its verify function, once it is known. */
  login?: string
  /**
   * Undefined while the phase runs and when it went well. `verify_refused`: the verify function refused.
   * `application_error`: a function of the application threw, whose error may hold anything and is not published.
   */
  code?: OutcomeCode | 'verify_refused' | 'application_error'
  /**
   * Set where a request ended well, but neither at the provider nor with a login: at the `confirm` page, at a page of
   * `tabBinding`, or at a client-side `router`.
   */
  page?: 'confirm' | 'tab' | 'router'
  /** Set where a start has left out its `returnTo`, which is no path of the application. */
  droppedReturnTo?: DroppedReturnTo
  /** Set when the request of an `exchange` or a `profile` was retried. */
  retried?: true
  /** Milliseconds that the phase took, with fractions; undefined while it runs. */
  duration?: number
  /** Set before the `error` event, if it is one of this class: also one that the application has thrown. */
  error?: SocialLoginError
}

/** What is wrong with a `returnTo` that was left out. */
export type DroppedReturnTo = 'no text' | 'no slash' | 'another origin' | 'too long'

const CHANNELS: Readonly<Record<Phase, TracingChannel<unknown, TracedPhase>>> = {
  start: tracingChannel('passport-social-login:start'),
  callback: tracingChannel('passport-social-login:callback'),
  exchange: tracingChannel('passport-social-login:exchange'),
  profile: tracingChannel('passport-social-login:profile'),
  verify: tracingChannel('passport-social-login:verify'),
}

writeDebugLines(CHANNELS)

const ignore = (): void => {}

/**
 * Calls a listener at the end of each run of a phase, well or not.
 * @returns a function that ends the subscription
 * @throws TypeError or RangeError for wrong arguments
 * @example
 * const unsubscribe = onPhaseEnd('exchange', ({ duration = 0, code = 'ok' }) => histogram.record(duration, { code }))
 */
export function onPhaseEnd(phase: Phase, listener: (message: TracedPhase) => void): () => void {
  checkArguments('onPhaseEnd', { phase: oneOf(...Object.keys(CHANNELS)), listener: func }, [phase, listener])
  const asyncEnd = (message: TracedPhase): void => listener(message)
  // Older types of Node want listeners to all five events.
  const subscribers = { start: ignore, end: ignore, asyncStart: ignore, error: ignore, asyncEnd }
  CHANNELS[phase].subscribe(subscribers)
  return () => void CHANNELS[phase].unsubscribe(subscribers)
}

/** What a phase came to, if it did not throw. */
export type PhaseOutcome = Pick<TracedPhase, 'code' | 'page'>

type Work<T> = (onRetry: () => void) => Promise<T>

/**
 * Reports the phases of one request to `node:diagnostics_channel`, from which `NODE_DEBUG=passport-social-login` is written.
 * `TracingChannel.tracePromise` will not do: it publishes the result of the work, which is the access token.
 */
export class Trace {
  readonly #names: Pick<TracedPhase, 'strategy' | 'provider'>
  #recordID: string | undefined
  #droppedReturnTo: DroppedReturnTo | undefined

  constructor(strategy: string, provider?: string) {
    this.#names = provider === undefined ? { strategy } : { strategy, provider }
  }

  setLogin(record: { readonly id: string }): void {
    this.#recordID = record.id
  }

  setDroppedReturnTo(reason: DroppedReturnTo | undefined): void {
    this.#droppedReturnTo = reason
  }

  /** Without subscribers, only runs the work. `outcomeOf` is for a result that need not be a login. */
  run<T>(phase: Phase, work: Work<T>, outcomeOf?: (result: T) => PhaseOutcome): Promise<T> {
    return isObserved(phase) ? this.#report(phase, work, outcomeOf) : work(ignore)
  }

  async #report<T>(phase: Phase, work: Work<T>, outcomeOf?: (result: T) => PhaseOutcome): Promise<T> {
    const { start, end, asyncStart, asyncEnd, error: errors } = CHANNELS[phase]
    const report: TracedPhase = { ...this.#names, phase, ...this.#login() }
    const startedAt = performance.now()
    const finish = (outcome?: Pick<TracedPhase, 'code' | 'page' | 'error'>): void => {
      Object.assign(report, this.#login(), this.#dropped(), outcome, { duration: performance.now() - startedAt })
    }
    const onRetry = (): void => {
      report.retried = true
    }
    // Enters the stores that subscribers bound to `start`, so that nested spans find their parent.
    const running = start.runStores(report, async () => work(onRetry))
    end.publish(report)
    try {
      const result = await running
      finish(outcomeOf?.(result))
      return result
    } catch (error) {
      finish(error instanceof SocialLoginError ? { code: error.code, error } : { code: 'application_error' })
      errors.publish(report)
      throw error
    } finally {
      asyncStart.publish(report)
      asyncEnd.publish(report)
    }
  }

  #dropped(): { droppedReturnTo?: DroppedReturnTo } {
    return this.#droppedReturnTo === undefined ? {} : { droppedReturnTo: this.#droppedReturnTo }
  }

  /** A digest: with the id itself one could recognise, though not forge, a record. */
  #login(): { login?: string } {
    return this.#recordID === undefined ? {} : { login: hash('sha256', `diagnostics ${this.#recordID}`, 'base64url') }
  }
}

function isObserved(phase: Phase): boolean {
  // Bun's tracing channels do not tell: there, every phase is reported.
  return CHANNELS[phase].hasSubscribers ?? true
}
