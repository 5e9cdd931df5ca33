import { readToken } from '../client/response/responses'
import { parseURL } from '../client/url'
import { DEFAULT_TIMEOUT_MS, MAX_TIMEOUT_MS } from '../limits'
import { type ExchangeForm, loginURL, requestExchange } from './endpoints'
import type { Examination, RecordedMode } from './examination'
import { type ExchangeMethod, GET_WARNING, problemOf } from './exchange'
import { examinePerson } from './person'
import { ProbeError, type ProbeResponse } from './probe'
import { contentOf, kindOf, mayBeAPI, recordForm, refuses, tokenIn, unreadable } from './response'

const MAX_CALLBACK_LENGTH = 4096
const AUTH_KEY = /([?&]|&amp;)auth_key=([^&?#\s]+)/
const HEX = /^[0-9a-f]{32}$/

/** Logs in at the provider in a browser. A terminal asks for it; a test does it. */
export interface LoginDriver {
  /**
   * Asks someone to log in.
   * @returns the address to which the browser returned; undefined if there was none
   */
  logIn(url: string): Promise<string | undefined>
  /** The page that redirected the browser, if known. */
  referer?(): string | undefined
  /** Whether the secret may be sent in a URL, after a POST was refused. */
  mayExchangeByGet(): Promise<boolean>
}

/** The application, who logs in, and what may be done with the key. */
export interface LoginInput {
  readonly appID: string
  readonly appSecret: string
  /** Whether to ask for a second exchange of the same key. */
  readonly spendTwice: boolean
  readonly driver: LoginDriver
}

/**
 * A login with real values, whose findings overrule what the answers to invented values suggested. It leaves nothing in
 * the examination that is secret or about the user.
 */
export class LoginExamination {
  /** @param method what the answers to invented values suggested */
  constructor(
    private readonly baseURL: URL,
    private method: ExchangeMethod,
    private readonly input: LoginInput,
    private readonly examination: Examination,
  ) {}

  async run(): Promise<void> {
    const { examination } = this
    try {
      const authKey = await this.#receiveKey()
      if (authKey === undefined) return
      examination.progress('Exchanging the key')
      const { appID, appSecret, spendTwice } = this.input
      const form = { app_id: appID, app_secret: appSecret, auth_key: authKey }
      const response = await this.#exchange(form)
      if (response === undefined) return
      const token = tokenIn(response)
      if (token === undefined) return this.#reportRefusal(response)
      examination.hide(token)
      examination.options.clientID = appID
      this.#reportToken(response, authKey, token)
      const profile = await examinePerson(this.baseURL, token, examination)
      if (profile) reportTime('A login took', response.duration + profile.duration, examination)
      if (spendTwice) await this.#spendAgain(form)
    } catch (error) {
      examination.broken('login_unreachable', ProbeError.caught(error).message)
    }
  }

  /** @returns the key of a callback; undefined if there was none, which a finding explains */
  async #receiveKey(): Promise<string | undefined> {
    const { examination } = this
    const returned = await this.input.driver.logIn(loginURL(this.baseURL, this.input.appID).href)
    if (returned === undefined) {
      examination.broken('login_not_tried', 'Not tried: no address was given to which a browser returned.')
      return undefined
    }
    const callback = readCallbackURL(returned, examination.mode)
    if (callback === undefined) {
      examination.broken(
        'key_missing',
        'That address has no auth_key. (Cancel redirects to the home page of the provider, without one.)',
      )
      return undefined
    }
    examination.hide(callback.authKey)
    if (callback.isReadable) examination.good('key_received', 'The provider returned an auth_key in the query.')
    else
      examination.broken(
        'key_unreadable',
        'The provider appends the key blindly, so that applications cannot find it: register a redirect URL without a query and without a fragment.',
      )
    this.#reportReferer(this.input.driver.referer?.())
    return callback.authKey
  }

  #reportReferer(referer = ''): void {
    const { options, differs } = this.examination
    const origin = parseURL(referer)?.origin
    const { baseURL, callbackURL = '', allowedCallbackOrigins = [] } = options
    const known = [baseURL, callbackURL].map((url = '') => parseURL(url)?.origin)
    if (origin === undefined || [...known, ...allowedCallbackOrigins].includes(origin)) return
    differs(
      'key_from_elsewhere',
      `It came from a page of ${origin}, which may be any site that opened the redirect URL in the meantime. Only if you know that users sign in at the provider by that site, name it in allowedCallbackOrigins: without that, the first login of such a user is refused (callback_forged), and a second try succeeds.`,
    )
  }

  /** The POST comes first, because it shows the secret to no one else, and the suggested method may be wrong. */
  async #exchange(form: ExchangeForm): Promise<ProbeResponse | undefined> {
    const { probe, mode, options } = this.examination
    const byPost = await requestExchange(probe, this.baseURL, 'POST', form)
    if (tokenIn(byPost) !== undefined) {
      this.method = 'post'
      mode.getOnly = false
      delete mode.postAnswer
      delete options.exchangeMethod
      return byPost
    }
    const mayNeedGet = this.method === 'get' || (this.method === 'unknown' && refuses(byPost))
    if (!mayNeedGet) return byPost
    if (!(await this.input.driver.mayExchangeByGet())) {
      if (this.method === 'unknown') return byPost
      this.examination.differs('login_needs_get', 'Not completed: an exchange by GET was not allowed (--allow-get).')
      return undefined
    }
    const byGet = await requestExchange(probe, this.baseURL, 'GET', form)
    if (tokenIn(byGet) !== undefined) this.#reportGet()
    return byGet
  }

  #reportGet(): void {
    const { mode, options } = this.examination
    if (this.method === 'unknown') {
      mode.getOnly = true
      mode.postAnswer = 'invalid-app-id'
      this.examination.differs(
        'login_by_get',
        `A POST is refused as if nothing had been sent, and a GET is not. ${GET_WARNING}`,
      )
    }
    this.method = 'get'
    options.exchangeMethod = 'get'
  }

  #reportRefusal(response: ProbeResponse): void {
    const { examination } = this
    const mayNeedGet = this.method === 'unknown' ? '; an old server may exchange by GET alone: --allow-get' : ''
    if (refuses(response))
      return examination.broken(
        'login_refused',
        `The provider refused the key: check the application id and the secret. (A key can be exchanged once${mayNeedGet}.)`,
      )
    const seen = mayBeAPI(response) ? `It was ${contentOf(response, examination)}.` : problemOf(response)[1]
    examination.broken('login_unanswered', `The exchange was answered neither with a token nor with a refusal. ${seen}`)
  }

  #reportToken(response: ProbeResponse, authKey: string, token: string): void {
    const { examination } = this
    const { mode } = examination
    recordForm(response, examination)
    mode.hexCredentials = HEX.test(authKey) && HEX.test(token)
    mode.redirectWithJSONBody = kindOf(response) === 'redirect'
    if (mode.redirectWithJSONBody) {
      examination.broken(
        'login_redirected',
        'The token came in the body of a redirect, which spends the key and is never followed: make baseURL the address that the provider itself is configured with (https, www).',
      )
      return
    }
    const problem = unreadable(response, readToken)
    if (problem === undefined) examination.good('login_good', 'The provider exchanged the key for a token.')
    else examination.broken('login_unreadable', problem)
  }

  async #spendAgain(form: ExchangeForm): Promise<void> {
    const { examination } = this
    const method = this.method === 'get' ? 'GET' : 'POST'
    const response = await requestExchange(examination.probe, this.baseURL, method, form)
    if (tokenIn(response) !== undefined)
      examination.broken(
        'key_used_twice',
        'The provider exchanges a key twice: anyone who finds an old callback URL can use it.',
      )
    else if (refuses(response))
      examination.good('key_used_once', 'The provider refuses a key that was exchanged before.')
    else
      examination.differs(
        'key_use_unclear',
        `Not known: a key that was exchanged before was answered with ${contentOf(response, examination)}.`,
      )
  }
}

/**
 * Reads the address to which the browser returned, and records how the provider appended the key where that shows: a
 * registered URL without a query looks the same in any case.
 * @returns the key, and whether an application would find it as a parameter of the query; undefined if there is none
 */
function readCallbackURL(text: string, mode: RecordedMode) {
  const url = text.trim()
  const [, separator = '', encoded = ''] = AUTH_KEY.exec(url) ?? []
  if (url.length > MAX_CALLBACK_LENGTH || encoded === '' || !URL.canParse(url)) return undefined
  const [before = ''] = url.split(`${separator}auth_key=`)
  if (separator !== '?') mode.appendAuthKeyBlindly = false
  else if (/[?#]/.test(before)) mode.appendAuthKeyBlindly = true
  else if (url.includes('#')) mode.appendAuthKeyBlindly = false
  if (url.includes('&')) mode.escapeRedirectAmpersands = url.includes('&amp;')
  return { authKey: decoded(encoded), isReadable: new URL(url).searchParams.has('auth_key') }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether a login takes a third of the strategy's default timeout, or more. */
export function isSlow(duration: number): boolean {
  return duration >= DEFAULT_TIMEOUT_MS / 3
}

/** Reports how long exchange and profile take, as a share of the time that the strategy gives them. */
export function reportTime(what: string, duration: number, examination: Examination): void {
  const share = `${Math.round((100 * duration) / DEFAULT_TIMEOUT_MS)} % of the default timeout of ${DEFAULT_TIMEOUT_MS / 1000} seconds`
  if (!isSlow(duration)) return examination.good('speed_good', `${what} ${Math.ceil(duration)} ms, ${share}.`)
  // Three times the measured time, in whole seconds, so that a login takes a third of the timeout.
  const timeout = Math.min(Math.ceil((3 * duration) / 1000) * 1000, MAX_TIMEOUT_MS)
  examination.options.timeout = timeout
  examination.differs(
    'speed_slow',
    `${what} ${Math.ceil(duration)} ms, ${share}: raise the option timeout to ${timeout}.`,
  )
}
