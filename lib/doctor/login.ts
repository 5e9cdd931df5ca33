import { isObject, ownProperty } from '../client/json'
import { ACCESS_TOKEN } from '../client/responses'
import { findRecord, type PersonRecord } from '../client/user'
import { readCallbackURL } from './callback-url'
import { type ExchangeForm, loginURL, requestExchange, requestUserInfo, requestUserMe } from './endpoints'
import type { Examination } from './examination'
import { type ExchangeMethod, GET_WARNING, recordForm, reportWarnings } from './exchange'
import { recordPerson, reportNobody, reportPerson } from './person'
import { ProbeError } from './probe-error'
import type { ProbeResponse } from './probe-response'
import { kindOf } from './response-kind'

const HEX = /^[0-9a-f]{32}$/

/** Whoever logs in at the site in a browser: a terminal asks for it, a test does it. */
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

/** A login with real values. It leaves nothing in the examination that is secret or about the person. */
export class LoginExamination {
  readonly #baseURL: URL
  readonly #input: LoginInput
  readonly #driver: LoginDriver
  readonly #examination: Examination
  #method: ExchangeMethod

  constructor(baseURL: URL, method: ExchangeMethod, input: LoginInput, driver: LoginDriver, examination: Examination) {
    this.#baseURL = baseURL
    this.#method = method
    this.#input = input
    this.#driver = driver
    this.#examination = examination
  }

  async run(): Promise<void> {
    const examination = this.#examination
    try {
      const first = await this.#exchangedKey(1)
      if (first === undefined) return
      await this.#readProfile(first.token)
      if (this.#input.spendTwice) await this.#spendAgain(first.authKey)
      await this.#compareTokens(first.token)
    } catch (error) {
      examination.broken('Login', ProbeError.caught(error).message)
    }
  }

  async #exchangedKey(attempt: number): Promise<{ authKey: string; token: string } | undefined> {
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
        'That address has no auth_key. (Cancel leads to the home page of the site, without one.)',
      )
      return undefined
    }
    const { authKey, isReadable } = callback
    examination.hide(authKey)
    if (attempt === 1) this.#reportCallback(isReadable)
    const token = await this.#exchange(authKey)
    return token === undefined ? undefined : { authKey, token }
  }

  #reportCallback(isReadable: boolean): void {
    const examination = this.#examination
    if (isReadable) return examination.good('Callback', 'The site came back with an auth_key in the query.')
    examination.broken(
      'Callback',
      'The site appends the key blindly, so that applications cannot find it: register a redirect URL without a query and without a fragment.',
    )
  }

  /** @returns the token */
  async #exchange(authKey: string): Promise<string | undefined> {
    const examination = this.#examination
    examination.progress('Exchanging the key')
    const form = { app_id: this.#input.appID, app_secret: this.#input.appSecret, auth_key: authKey }
    const response = await this.#sendExchange(form)
    const token = response && tokenIn(response)
    if (response === undefined || token === undefined) {
      if (response) this.#reportRefusal(response)
      return undefined
    }
    examination.hide(token)
    this.#reportToken(response, authKey, token)
    return token
  }

  async #sendExchange(form: ExchangeForm): Promise<ProbeResponse | undefined> {
    const { probe, mode } = this.#examination
    if (this.#method !== 'get') {
      const response = await requestExchange(probe, this.#baseURL, 'POST', form)
      if (this.#method === 'post' || kindOf(response) !== 'refusal') {
        if (tokenIn(response) !== undefined) mode.getOnly = false
        return response
      }
      if (!(await this.#driver.mayExchangeByGet())) return response
    } else if (!(await this.#driver.mayExchangeByGet())) {
      this.#examination.differs('Login', 'Not completed: an exchange by GET was not allowed (--allow-get).')
      return undefined
    }
    const response = await requestExchange(probe, this.#baseURL, 'GET', form)
    if (tokenIn(response) !== undefined) this.#reportGet()
    return response
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
    if (kind === 'refusal') {
      examination.broken(
        'Login',
        'The site refused the key: check the application id and the secret. (A key can be exchanged once; an old server may exchange by GET alone: --allow-get.)',
      )
    } else {
      examination.broken(
        'Login',
        `The exchange was answered neither with a token nor with a refusal (status ${response.status}).`,
      )
    }
  }

  #reportToken(response: ProbeResponse, authKey: string, token: string): void {
    const examination = this.#examination
    const { mode } = examination
    recordForm(response, mode)
    mode.hexCredentials = HEX.test(authKey) && HEX.test(token)
    mode.redirectWithJSONBody = kindOf(response) === 'redirect'
    if (mode.redirectWithJSONBody) {
      examination.broken(
        'Login',
        'The token came in the body of a redirect, which spends the key and is never followed: make baseURL the address that the site itself is configured with (https, www).',
      )
    } else if (response.hasWarnings) reportWarnings(examination)
    else examination.good('Login', 'The site exchanged the key for a token.')
  }

  async #readProfile(token: string): Promise<void> {
    const examination = this.#examination
    const { probe, mode } = examination
    examination.progress('Reading the profile')
    const isLegacy = mode.withoutUserMe === true
    const response = isLegacy
      ? await requestUserInfo(probe, this.#baseURL, token)
      : await requestUserMe(probe, this.#baseURL, token)
    recordForm(response, mode)
    const found = findRecord(response.json ?? null)
    if (found === undefined) return reportNobody(response, examination)
    recordPerson(found, this.#baseURL.origin, mode)
    reportPerson(found, examination)
    if (isLegacy) return
    const bare = await requestUserMe(probe, this.#baseURL, token, {})
    mode.contentTypeOptional = findRecord(bare.json ?? null) !== undefined
    await this.#compareLegacy(found, token)
  }

  async #compareLegacy({ record }: PersonRecord, token: string): Promise<void> {
    const { probe } = this.#examination
    const { json = null } = await requestUserInfo(probe, this.#baseURL, token)
    const legacy = findRecord(json)
    if (legacy === undefined) return
    // Versions 2.7 and 2.8 could answer with another person.
    if (String(ownProperty(legacy.record, 'user_id')) !== String(ownProperty(record, 'user_id')))
      this.#examination.broken(
        'Profile',
        'The two profile endpoints answered with two people for one token: the site is unsafe.',
      )
  }

  async #spendAgain(authKey: string): Promise<void> {
    const examination = this.#examination
    const form = { app_id: this.#input.appID, app_secret: this.#input.appSecret, auth_key: authKey }
    const response = await requestExchange(
      examination.probe,
      this.#baseURL,
      this.#method === 'get' ? 'GET' : 'POST',
      form,
    )
    if (tokenIn(response) === undefined)
      return examination.good('Second use', 'The site refuses a key that was exchanged before.')
    examination.broken(
      'Second use',
      'The site exchanges a key twice: whoever finds an old callback address can use it.',
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

function tokenIn({ json }: ProbeResponse): string | undefined {
  const value = isObject(json) ? ownProperty(json, 'access_token') : undefined
  const token = typeof value === 'number' ? String(value) : value
  return typeof token === 'string' && ACCESS_TOKEN.test(token) ? token : undefined
}
