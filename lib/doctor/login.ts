import { readCallbackURL } from './callback-url'
import { type ExchangeForm, loginURL, requestExchange } from './endpoints'
import type { Examination } from './examination'
import { type ExchangeMethod, GET_WARNING, problemOf, WARNINGS } from './exchange'
import { examinePerson } from './person'
import type { ProbeResponse } from './probe'
import { ProbeError } from './probe-error'
import { contentOf, kindOf, mayBeAPI, recordForm, tokenIn } from './response'
import { milliseconds } from './text'

const HEX = /^[0-9a-f]{32}$/
// Milliseconds: the strategy's option `timeout`, which exchange and profile share.
const DEFAULT_TIMEOUT = 10_000
const MAX_TIMEOUT = 120_000

/** Whoever logs in at the provider in a browser: a terminal asks for it, a test does it. */
export interface LoginDriver {
  /**
   * Has somebody log in.
   *
   * @param attempt 1, or 2 for the second login, which may be declined
   * @returns the address to which the browser came back; undefined if the login was declined
   */
  logIn(url: string, attempt: number): Promise<string | undefined>
  /** Whether the secret may be sent in a URL, after a POST was refused. */
  mayExchangeByGet(): Promise<boolean>
}

/** The application, and what may be done with a key. */
export interface LoginInput {
  readonly appID: string
  readonly appSecret: string
  /** Whether to ask for a second exchange of the same key. */
  readonly spendTwice: boolean
}

/** A key that was exchanged. */
interface Exchanged {
  readonly authKey: string
  readonly token: string
  /** Milliseconds that the exchange took. */
  readonly duration: number
}

/**
 * A login with real values, whose findings overrule what the answers to invented values suggested. It leaves nothing in the
 * examination that is secret or about the person.
 */
export class LoginExamination {
  readonly #baseURL: URL
  readonly #input: LoginInput
  readonly #driver: LoginDriver
  readonly #examination: Examination
  #method: ExchangeMethod

  /** @param method what the answers to invented values suggested */
  constructor(baseURL: URL, method: ExchangeMethod, input: LoginInput, driver: LoginDriver, examination: Examination) {
    this.#baseURL = baseURL
    this.#method = method
    this.#input = input
    this.#driver = driver
    this.#examination = examination
  }

  async run(): Promise<void> {
    try {
      const first = await this.#exchangedKey(1)
      if (first === undefined) return
      const duration = await examinePerson(this.#baseURL, first.token, this.#examination)
      if (duration !== undefined) reportTime('A login took', first.duration + duration, this.#examination)
      if (this.#input.spendTwice) await this.#spendAgain(first.authKey)
      await this.#compareTokens(first.token)
    } catch (error) {
      this.#examination.broken('Login', ProbeError.caught(error).message)
    }
  }

  async #exchangedKey(attempt: number): Promise<Exchanged | undefined> {
    const examination = this.#examination
    const returned = await this.#driver.logIn(loginURL(this.#baseURL, this.#input.appID).href, attempt)
    if (returned === undefined) {
      if (attempt === 1) examination.broken('Login', 'Not tried: no address was given to which a browser came back.')
      return undefined
    }
    const callback = readCallbackURL(returned, examination.mode)
    if (callback === undefined) {
      examination.broken(
        'Callback',
        'That address has no auth_key. (Cancel leads to the home page of the provider, without one.)',
      )
      return undefined
    }
    examination.hide(callback.authKey)
    if (attempt === 1) this.#reportCallback(callback.isReadable)
    return this.#exchange(callback.authKey)
  }

  #reportCallback(isReadable: boolean): void {
    const examination = this.#examination
    if (isReadable) return examination.good('Callback', 'The provider came back with an auth_key in the query.')
    examination.broken(
      'Callback',
      'The provider appends the key blindly, so that applications cannot find it: register a redirect URL without a query and without a fragment.',
    )
  }

  async #exchange(authKey: string): Promise<Exchanged | undefined> {
    this.#examination.progress('Exchanging the key')
    const response = await this.#sendExchange(this.#formWith(authKey))
    if (response === undefined) return undefined
    const token = tokenIn(response)
    if (token === undefined) {
      this.#reportRefusal(response)
      return undefined
    }
    this.#examination.hide(token)
    this.#reportToken(response, authKey, token)
    return { authKey, token, duration: response.duration }
  }

  #formWith(authKey: string): ExchangeForm {
    return { app_id: this.#input.appID, app_secret: this.#input.appSecret, auth_key: authKey }
  }

  /** By POST first, which shows the secret to nobody else: what the answers to invented values suggested may be wrong. */
  async #sendExchange(form: ExchangeForm): Promise<ProbeResponse | undefined> {
    const { probe, mode, options } = this.#examination
    const byPost = await requestExchange(probe, this.#baseURL, 'POST', form)
    if (tokenIn(byPost) !== undefined) {
      mode.getOnly = false
      delete mode.postAnswer
      delete options.exchangeMethod
      this.#method = 'post'
      return byPost
    }
    const mayNeedGet = this.#method === 'get' || kindOf(byPost) === 'refusal' || kindOf(byPost) === 'plain-refusal'
    if (this.#method === 'post' || !mayNeedGet) return byPost
    if (!(await this.#driver.mayExchangeByGet())) return this.#method === 'get' ? this.#withoutGet() : byPost
    const byGet = await requestExchange(probe, this.#baseURL, 'GET', form)
    if (tokenIn(byGet) !== undefined) this.#reportGet()
    return byGet
  }

  #withoutGet(): undefined {
    this.#examination.differs('Login', 'Not completed: an exchange by GET was not allowed (--allow-get).')
  }

  #reportGet(): void {
    const { mode, options } = this.#examination
    if (this.#method === 'unknown') {
      mode.getOnly = true
      mode.postAnswer = 'invalid-app-id'
      this.#examination.differs(
        'Method',
        `A POST is refused as if nothing had been sent, and a GET is not. ${GET_WARNING}`,
      )
    }
    this.#method = 'get'
    options.exchangeMethod = 'get'
  }

  #reportRefusal(response: ProbeResponse): void {
    const examination = this.#examination
    const kind = kindOf(response)
    if (kind === 'refusal' || kind === 'plain-refusal')
      return examination.broken(
        'Login',
        'The provider refused the key: check the application id and the secret. (A key can be exchanged once; an old server may exchange by GET alone: --allow-get.)',
      )
    const seen = mayBeAPI(response) ? `It was ${contentOf(response, examination)}.` : problemOf(response)
    examination.broken('Login', `The exchange was answered neither with a token nor with a refusal. ${seen}`)
  }

  #reportToken(response: ProbeResponse, authKey: string, token: string): void {
    const examination = this.#examination
    const { mode } = examination
    recordForm(response, examination)
    mode.hexCredentials = HEX.test(authKey) && HEX.test(token)
    mode.redirectWithJSONBody = kindOf(response) === 'redirect'
    if (mode.redirectWithJSONBody) {
      examination.broken(
        'Login',
        'The token came in the body of a redirect, which spends the key and is never followed: make baseURL the address that the provider itself is configured with (https, www).',
      )
    } else if (response.hasWarnings) examination.broken('Warnings', WARNINGS)
    else examination.good('Login', 'The provider exchanged the key for a token.')
  }

  async #spendAgain(authKey: string): Promise<void> {
    const examination = this.#examination
    const method = this.#method === 'get' ? 'GET' : 'POST'
    const response = await requestExchange(examination.probe, this.#baseURL, method, this.#formWith(authKey))
    const kind = kindOf(response)
    if (tokenIn(response) !== undefined)
      examination.broken(
        'Second use',
        'The provider exchanges a key twice: whoever finds an old callback address can use it.',
      )
    else if (kind === 'refusal' || kind === 'plain-refusal')
      examination.good('Second use', 'The provider refuses a key that was exchanged before.')
    else
      examination.differs(
        'Second use',
        `Not known: a key that was exchanged before was answered with ${contentOf(response, examination)}.`,
      )
  }

  async #compareTokens(first: string): Promise<void> {
    const examination = this.#examination
    const second = await this.#exchangedKey(2)
    if (second === undefined) return
    examination.mode.reuseToken = second.token === first
    if (examination.mode.reuseToken)
      examination.differs('Token', 'A second login has the same token: it belongs to the person, and not to one login.')
    else examination.good('Token', 'A second login has another token.')
  }
}

/** Whether a login takes a third of the strategy's default timeout, or more. */
export function isSlow(duration: number): boolean {
  return duration >= DEFAULT_TIMEOUT / 3
}

/** Reports how long exchange and profile take, as a share of the time that the strategy gives them. */
export function reportTime(what: string, duration: number, examination: Examination): void {
  const share = `${Math.round((100 * duration) / DEFAULT_TIMEOUT)} % of the default timeout of 10 seconds`
  if (!isSlow(duration)) return examination.good('Speed', `${what} ${milliseconds(duration)}, ${share}.`)
  // In whole seconds, so that a login takes a third of it.
  const timeout = Math.min(Math.ceil((3 * duration) / 1000) * 1000, MAX_TIMEOUT)
  examination.options.timeout = timeout
  examination.differs('Speed', `${what} ${milliseconds(duration)}, ${share}: raise the option timeout to ${timeout}.`)
}
