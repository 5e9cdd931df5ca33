import { isOutcome, type Mark } from '../../errors'
import { isSafe } from '../address'
import type { AppArguments } from '../arguments'
import type { Observer } from '../examination'
import { ProbeError } from '../probe'
import { type Cookie, cookiesOf, header } from './cookies'
import { AppExamination, addressOf, pathOf } from './examination'
import { type Answer, type Ask, navigation, RUN_ENDED, type Visit, withKey, withParameter } from './site'
import { examineStart, own, TAB_PARAMETER } from './start'

const CERTIFICATE = /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH)/
const PROBES = 6
const STARTS: readonly Mark[] = ['start', 'confirm', 'tab', 'start_forbidden']

/** Examines an application as it is deployed, like an outside browser. It signs no one in, and needs no secret. */
export async function examineApp(input: AppArguments, ask: Ask, observer: Observer): Promise<AppExamination> {
  const examination = new AppExamination(input, ask, observer)
  try {
    await run(examination)
  } catch (error) {
    const { code = '', message } = ProbeError.caught(error)
    if (code === RUN_ENDED) examination.tell('app_ended', message)
    else examination.tell(CERTIFICATE.test(code) ? 'app_certificate' : 'app_unreachable', message)
  }
  return examination
}

/** Finds out whether a login starts, and whether callbacks reach it, find it, and reach the provider. */
async function run(examination: AppExamination): Promise<void> {
  const { tell, input, observer } = examination
  const { app, redirectURL, quick } = input
  const callback = new URL(redirectURL ?? `${app.origin}${app.pathname.replace(/\/+$/, '')}/callback`)
  const login = await examineStart(examination, callback)
  if (login === undefined) return
  if (!isSafe(callback)) {
    if (redirectURL) tell('callback_plain_http')
    callback.protocol = 'https:'
  }
  if (callback.hostname !== login.url.hostname) return tell('hosts_differ', callback.origin)
  if (callback.origin !== login.url.origin) tell('origins_differ', callback.origin)
  const { answer, tabSecret, hasMetadata } = login
  const cookies = cookiesOf(answer.cookies, login.url, callback)
  const headers = navigation('cross-site', answer.location && `${answer.location.origin}/`)
  if (!(await reachesLogin(examination, { url: callback, headers, cookie: header(cookies) }))) return
  if (cookies.length === 0) return tell('cookie_missing')
  observer.progress('Way back')
  if (hasMetadata && !(await keepsLogin(examination, callback, cookies))) return
  if (!quick) await exchange(examination, { url: withKey(callback), headers, cookie: header(kept(cookies)) }, tabSecret)
}

const kept = (cookies: readonly Cookie[]): Cookie[] => cookies.filter(({ loss }) => loss === undefined)
const isOneOf = (marks: readonly Mark[], { mark }: Answer): boolean => mark !== undefined && marks.includes(mark)

/** Whether callbacks reach the login: without a key, with the cookies of the start, and with one, without cookies. */
async function reachesLogin(examination: AppExamination, visit: Visit): Promise<boolean> {
  const { ask, tell, input } = examination
  const { url, headers } = visit
  const answer = await ask(visit)
  const keyed = await ask({ url: withKey(url), headers })
  const isMissing = answer.mark === 'auth_key_missing'
  // Behind a proxy that strips a prefix, a callback without a key is taken for a start.
  const isReached = (isMissing || isOneOf(STARTS, answer)) && keyed.mark === 'login_not_started'
  const { location: target } = keyed
  const isKeyLost = target && pathOf(target) === pathOf(url) && !target.searchParams.has('auth_key')
  if (isReached) tell('callback_good', addressOf(url) + (input.redirectURL ? '' : ' (guessed)'))
  else if (!input.redirectURL) tell('redirect_url_needed')
  else if (isOneOf(STARTS, answer)) tell('callback_path', url.pathname)
  else if (answer.mark === undefined && isKeyLost) tell('query_lost')
  else await tellRefusal(examination, 'Callback', visit, isMissing ? keyed : answer)
  return isReached
}

/** Whether six callbacks, each of which may reach another process, find the login. A finding explains why not. */
async function keepsLogin(examination: AppExamination, callback: URL, cookies: readonly Cookie[]): Promise<boolean> {
  const { ask, tell } = examination
  // A callback with the headers of a typed address is refused after its login is found, and before anything is sent or
  // changed. So it shows whether the login is found.
  const visit = { url: callback, headers: navigation('none') }
  const typed = (sent: readonly Cookie[]): Visit => ({ ...visit, url: withKey(callback), cookie: header(sent) })
  const finds: Finds = async (sent) => (await ask(typed(sent))).mark === 'callback_forged'
  const answers: Answer[] = []
  for (let probes = 0; probes < PROBES; probes += 1) answers.push(await ask(typed(kept(cookies))))
  const found = answers.filter(({ mark }) => mark === 'callback_forged').length
  const other = answers.find((answer) => !isOneOf(['callback_forged', 'login_not_started'], answer))
  if (other) await tellRefusal(examination, 'Callback', visit, other)
  else if (found === 0) await explainLoss(examination, cookies, finds)
  else if (found < PROBES) tell('processes_apart', found)
  else tell('way_back_good')
  const secure = cookies.filter(({ isSecure, loss }) => isSecure && loss === undefined)
  const mayNeedOther = callback.protocol === 'https:' && secure.length < kept(cookies).length
  if (found === PROBES && mayNeedOther && !(await finds(secure))) tell('cookie_not_secure')
  return found === PROBES
}

type Finds = (sent: readonly Cookie[]) => Promise<boolean>

/** Reports which attribute of a cookie makes the difference, if one does. */
async function explainLoss({ tell }: AppExamination, cookies: readonly Cookie[], finds: Finds): Promise<void> {
  const lost = cookies.filter(({ loss }) => loss !== undefined)
  if (lost.length === 0 || !(await finds(cookies))) {
    // The record of a login may end together with its cookie.
    const ended = lost.find(({ loss }) => loss === 'short_lived')
    return ended ? tell('cookie_short_lived', ended.shown) : tell('login_lost')
  }
  for (const { loss, shown } of lost) {
    const others = cookies.filter((other) => other.loss === undefined || other.loss === loss)
    if (loss && (others.length === cookies.length || (await finds(others)))) return tell(`cookie_${loss}`, shown)
  }
  tell('login_lost')
}

/** Exchanges one invented key. A limit on guesses that is shared by all visitors may count it. */
async function exchange(examination: AppExamination, visit: Visit, tabSecret: string | undefined): Promise<void> {
  const { ask, tell } = examination
  const form = own(withParameter(visit.url, TAB_PARAMETER, tabSecret), 'POST')
  const sent = tabSecret === undefined ? visit : { ...visit, ...form }
  const answer = await ask(sent)
  if (answer.mark === 'auth_key_rejected') tell('whole_way')
  else if (answer.mark === 'login') tell('invented_key_accepted')
  else await tellRefusal(examination, 'Exchange', sent, answer)
}

async function tellRefusal(examination: AppExamination, check: string, visit: Visit, answer: Answer): Promise<void> {
  const { mark, status } = answer
  if (mark === undefined) await examination.tellInstead('callback', visit, answer)
  else if (isOneOf(['auth_key_missing', ...STARTS], answer)) examination.tell('query_lost')
  else if (isOutcome(mark)) examination.tellOutcome(mark, check)
  else examination.tell(mark === 'application_error' ? 'callback_error' : 'callback_other_page', status)
}
