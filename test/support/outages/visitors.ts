import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowserAnswer, closeBrowsers } from '../browser'
import { Visitor } from '../example/visitor'
import type { Deployment } from './deployment'

/** One login, from the button to the profile. Times are in milliseconds since the epoch. */
export interface LoginRecord {
  readonly person: string
  readonly began: number
  readonly ended: number
  /** When the last step started: the one that failed, or the profile. */
  readonly lastStepBegan: number
  /** `good`, `mixed up`, or the step that failed and how. */
  readonly outcome: string
  /** The key that the provider issued; undefined if the start failed. */
  readonly key: string | undefined
  /** The account shown at the end. */
  readonly account: string | undefined
}

const STEP_TIMEOUT_MS = 30_000
const RELOADS = 3
// Multiples of the golden ratio, without their integral part, are spread evenly, in each part of a run.
const SPREAD = (Math.sqrt(5) - 1) / 2
const RELOAD_AFTER_MS = 1000

/** Users who sign in, each with their own browser. */
export class Visitors {
  readonly logins: LoginRecord[] = []
  readonly #underWay = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #count = 0
  #isStopping = false

  /** @param maxThoughtMs each user stays at the provider for between none of this time and all of it */
  constructor(
    private readonly deployment: Deployment,
    private readonly maxThoughtMs = 0,
  ) {}

  /** Starts logins at a fixed rate, independent of their duration. */
  start(perSecond: number): void {
    this.#timer = setInterval(() => this.#track(this.#signIn()), 1000 / perSecond)
  }

  /** Keeps a fixed number of logins running: as many as the deployment can do. */
  startInParallel(lanes: number): void {
    const lane = async (): Promise<void> => {
      while (!this.#isStopping) await this.#signIn()
    }
    for (let count = 0; count < lanes; count += 1) this.#track(lane())
  }

  /** Starts no more logins; resolves when all have ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#isStopping = true
    await Promise.all(this.#underWay)
  }

  async #signIn(): Promise<void> {
    const index = this.#count++
    const thoughtMs = Math.round(this.maxThoughtMs * ((index * SPREAD) % 1))
    this.logins.push(await new Login(this.deployment, index, thoughtMs).run())
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked))
    this.#underWay.add(tracked)
  }
}

/** Closes the connections that all visitors share. */
export const closeVisitors = closeBrowsers

class StepFailed extends Error {}

class Login {
  readonly #visitor: Visitor
  readonly #person: string
  #key: string | undefined
  #account: string | undefined
  #lastStepBegan = 0

  constructor(
    private readonly deployment: Deployment,
    index: number,
    private readonly thoughtMs: number,
  ) {
    const { provider, application } = deployment
    this.#person = provider.users[index % provider.users.length]?.user_id ?? ''
    // Each has its own address, so that limits by address do not apply.
    const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
    this.#visitor = new Visitor(provider, application, this.#person, { 'x-forwarded-for': address })
  }

  async run(): Promise<LoginRecord> {
    const began = Date.now()
    const outcome = await this.#outcome()
    return {
      person: this.#person,
      began,
      ended: Date.now(),
      lastStepBegan: this.#lastStepBegan,
      outcome,
      key: this.#key,
      account: this.#account,
    }
  }

  async #outcome(): Promise<string> {
    try {
      await this.#signIn()
      const profile = await this.#reloading('profile', () => this.#readProfile())
      const { id, account } = JSON.parse(profile.body)
      this.#account = String(account)
      return id === this.#person ? 'good' : 'mixed up'
    } catch (error) {
      if (error instanceof StepFailed) return error.message
      throw error
    }
  }

  async #signIn(): Promise<void> {
    const { url } = this.deployment
    const start = await this.#step('start', () => this.#visitor.begin(url))
    if (start.status !== 302) throw new StepFailed(`start ${start.status}`)
    await sleep(this.thoughtMs)
    const key = this.#visitor.newKey()
    this.#key = key
    const back = await this.#step('callback', () => this.#visitor.comeBack(url, key))
    if (back.location === '/profile') return
    const reason = /reason=(\w+)/.exec(back.location)?.[1] ?? back.status
    if (back.location !== '/login/confirm') throw new StepFailed(`callback ${reason}`)
    await this.#confirm(`${url}/login/confirm`)
  }

  async #confirm(page: string): Promise<void> {
    const asked = await this.#reloading('confirm', () => this.#visitor.browser.follow(page))
    const confirmation = /name="confirmation" value="([^"]+)"/.exec(asked.body)?.[1]
    if (confirmation === undefined) throw new StepFailed(`confirm ${asked.location || asked.status}`)
    const fields = { confirmation, decision: 'continue' }
    const pressed = await this.#reloading('continue', () => this.#visitor.submit(page, fields))
    // Repeated after a lost response: the profile shows whether the first one took effect.
    if (pressed.status !== 303) throw new StepFailed(`continue ${pressed.status}`)
  }

  async #readProfile(): Promise<BrowserAnswer> {
    const headers = { accept: 'application/json' }
    const answer = await this.#visitor.browser.request(`${this.deployment.url}/profile`, { headers })
    if (answer.status < 500 && answer.status !== 200) throw new StepFailed(`profile ${answer.status}`)
    return answer
  }

  /** Repeats a step, as users reload an error page. */
  async #reloading(name: string, work: () => Promise<BrowserAnswer>): Promise<BrowserAnswer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = await this.#step(name, work)
        if (answer.status < 500) return answer
        throw new StepFailed(`${name} ${answer.status}`)
      } catch (error) {
        if (attempt === RELOADS) throw error
      }
      await sleep(RELOAD_AFTER_MS)
    }
  }

  /** The response, or a StepFailed. */
  async #step(name: string, work: () => Promise<BrowserAnswer>): Promise<BrowserAnswer> {
    this.#lastStepBegan = Date.now()
    return withinTime(name, work())
  }
}

/** The same, or a StepFailed. */
async function withinTime(name: string, answer: Promise<BrowserAnswer>): Promise<BrowserAnswer> {
  const timeout = new AbortController()
  const late = sleep(STEP_TIMEOUT_MS, 'timeout', { signal: timeout.signal }).catch(() => 'no timeout')
  const failed = (error: unknown): string => {
    if (error instanceof StepFailed) throw error
    return error instanceof Error && 'code' in error ? String(error.code) : 'failed'
  }
  const end = await Promise.race([answer.catch(failed), late]).finally(() => timeout.abort())
  if (typeof end === 'string') throw new StepFailed(`${name} ${end}`)
  return end
}
