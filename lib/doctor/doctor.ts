import { findAddress, isSafe, type Location } from './address'
import { invented, requestExchange, requestUserMe } from './endpoints'
import { Examination, type Observer } from './examination'
import { checkExchange } from './exchange'
import { type LoginDriver, LoginExamination, type LoginInput } from './login'
import { checkLoginPage } from './login-page'
import { Probe } from './probe'
import { ProbeError } from './probe-error'
import { checkProfileEndpoints } from './profile-endpoints'
import { isFromAPI } from './response-kind'
import { count, milliseconds } from './text'

/** What to examine. */
export interface DoctorInput {
  /** Ends in `/v1`. */
  readonly baseURL: URL
  readonly appID?: string | undefined
  /** The registered redirect URL. */
  readonly redirectURL?: string | undefined
  /** For an examination with a real login. */
  readonly login?: { readonly input: LoginInput; readonly driver: LoginDriver } | undefined
  /** The `User-Agent` of all requests. */
  readonly userAgent: string
  /** Milliseconds for each request. */
  readonly timeout: number
  /** Whether the environment names a proxy for this address. */
  readonly hasProxy: boolean
}

// A third of the strategy's default timeout: exchange and profile share it.
const SLOW_MS = 3000

/** Examines a site, one request at a time. Each finding is told to the observer as soon as it is known. */
export async function examine(input: DoctorInput, observer: Observer): Promise<Examination> {
  const { baseURL, userAgent, timeout } = input
  const proxied = input.hasProxy && !(await reachesDirectly(input))
  const probe = new Probe({ userAgent, timeout, trustedHost: baseURL.hostname, proxied })
  const examination = new Examination(probe, observer)
  // The site knows the secret, and could repeat it before any is sent.
  if (input.login) examination.hide(input.login.input.appSecret)
  try {
    if (input.hasProxy) reportProxy(proxied, examination)
    const found = await findAddress({ baseURL, timeout }, examination)
    if (found) await examineAPI(found, input, examination)
    return examination
  } finally {
    await probe.close()
  }
}

async function examineAPI(found: Location, input: DoctorInput, examination: Examination): Promise<void> {
  const { options } = examination
  if (input.appID !== undefined) options.clientID = input.appID
  if (input.redirectURL !== undefined) options.callbackURL = input.redirectURL
  const { baseURL, userMe } = await withRightPath(found, examination)
  reportClock(userMe.headers.date, userMe.duration, examination)
  await checkLoginPage(baseURL, input.appID, examination)
  const exchange = await checkExchange(baseURL, examination)
  const hasProfile = await checkProfileEndpoints(baseURL, userMe, examination)
  reportConnections(userMe.headers['keep-alive'], exchange.duration, examination)
  if (exchange.duration > SLOW_MS) suggestTimeout(exchange.duration, examination)
  if (!input.login) return
  const obstacle = exchange.exists && hasProfile ? obstacleTo(baseURL, input.baseURL) : UNFINISHED
  if (obstacle !== undefined) return examination.broken('Login', `Not tried: ${obstacle}`)
  await new LoginExamination(baseURL, exchange.method, input.login.input, input.login.driver, examination).run()
}

const UNFINISHED = 'what is broken above must be fixed first.'

/** Why a secret is not sent to an address. Whoever answers at the one that was typed could name any other. */
function obstacleTo(found: URL, typed: URL): string | undefined {
  if (!isSafe(found)) return 'by plain http, everybody on the way could read the secret.'
  if (found.href !== typed.href)
    return `a secret is sent only to the address that was typed: run this with ${found.href}`
  return undefined
}

/** If the API is not where it was looked for, but at the usual path of the same site: that. */
async function withRightPath(found: Location, examination: Examination): Promise<Location> {
  const usual = new URL('/api/v1', found.baseURL)
  if (isFromAPI(found.userMe) || found.baseURL.pathname === usual.pathname) return found
  const { probe } = examination
  const form = { app_id: invented(), app_secret: invented(), auth_key: invented() }
  try {
    if (isFromAPI(await requestExchange(probe, found.baseURL, 'POST', form))) return found
    if (!isFromAPI(await requestExchange(probe, usual, 'POST', form))) return found
    examination.options.baseURL = usual.href
    examination.broken('Path', `The API is not at that path, but at ${usual.href}.`)
    return { baseURL: usual, userMe: await requestUserMe(probe, usual) }
  } catch (error) {
    // What is wrong there, the checks of each endpoint tell.
    ProbeError.caught(error)
    return found
  }
}

async function reachesDirectly({ baseURL, userAgent, timeout }: DoctorInput): Promise<boolean> {
  const probe = new Probe({ userAgent, timeout, trustedHost: baseURL.hostname })
  try {
    await requestUserMe(probe, baseURL)
    return true
  } catch (error) {
    return !/^(E|UND_ERR_CONNECT)/.test(ProbeError.caught(error).code ?? '')
  } finally {
    await probe.close()
  }
}

function reportProxy(proxied: boolean, examination: Examination): void {
  if (!proxied)
    return examination.good(
      'Proxy',
      'This machine names a proxy, and the site is reached without: none is used, unless the option dispatcher says so.',
    )
  examination.options.proxied = true
  examination.differs('Proxy', 'The site is reached through the proxy of this machine alone: give a dispatcher.')
}

function reportClock(date: string | undefined, duration: number, examination: Examination): void {
  const difference = Math.round((Date.parse(date ?? '') - (Date.now() - duration / 2)) / 1000)
  if (Number.isNaN(difference)) return
  const seconds = Math.abs(difference)
  if (seconds <= 60) return examination.good('Clock', 'The clocks of the site and of this machine agree.')
  const side = difference > 0 ? 'ahead of' : 'behind'
  examination.differs(
    'Clock',
    `The clock of the site is ${count(seconds, 'second')} ${side} that of this machine. Logins do not mind; certificates and Retry-After may.`,
  )
}

function reportConnections(keepAlive: string | string[] | undefined, duration: number, examination: Examination): void {
  const { requests, connections } = examination.probe.traffic
  if (connections === 0) return
  const [, seconds] = /timeout=(\d{1,5})/.exec(String(keepAlive ?? '')) ?? []
  const time = seconds === undefined ? '' : ` for ${count(Number(seconds), 'second')}`
  const took = `A login takes about ${milliseconds(2 * duration)}, for the key and for the profile`
  if (connections <= requests / 2) return examination.good('Connections', `The site keeps them open${time}. ${took}.`)
  examination.differs(
    'Connections',
    `The site ends each after one request. ${took}, and the time to open a connection for the profile.`,
  )
}

function suggestTimeout(duration: number, examination: Examination): void {
  // Three times what two requests took, in whole seconds.
  const timeout = Math.ceil((duration * 6) / 1000) * 1000
  examination.options.timeout = Math.min(Math.max(timeout, 10_000), 120_000)
  examination.differs(
    'Speed',
    `A request took ${milliseconds(duration)}: raise the option timeout, which is for two of them.`,
  )
}
