import { isOutcome } from '../../errors'
import { isSafe } from '../address'
import { invented, loginURL } from '../endpoints'
import { type AppExamination, addressOf } from './examination'
import { type Answer, FOREIGN_PAGE, navigation, script, type Visit, withKey, withParameter } from './site'

// The parameter with the secret of a tab (`tabBinding`).
export const TAB_PARAMETER = 'social_login_tab'
const IN_DEVELOPMENT = 'http://localhost:3000'

/** A login that was started as by a link, or a form, on a page of the application. */
export interface StartedLogin extends Visit {
  readonly answer: Answer
  readonly tabSecret?: string
  /** Whether Fetch Metadata arrives. */
  readonly hasMetadata?: boolean
}

/**
 * Starts a login, and finds out by further starts what arrives.
 * @returns undefined if there is no login, which is reported
 */
export async function examineStart(examination: AppExamination, callback: URL): Promise<StartedLogin | undefined> {
  const { tell, observer } = examination
  observer.progress('Starting a login')
  const start = await open(examination)
  const { answer, url } = start
  const { mark, location, status } = answer
  if (!isSafe(url)) tell('app_plain_http')
  else if (mark === 'start') {
    if (location) tellLoginPage(examination, location)
    return { ...start, hasMetadata: await examineHeaders(examination, start, callback) }
  } else if (mark === undefined && location?.searchParams.has('app_id')) tell('mark_missing', addressOf(location))
  else if (mark === undefined) await examination.tellInstead('start', start, answer)
  else if (isUnverified(answer)) await explainUnverified(examination, start, callback)
  else if (mark === 'speculative_request') tell('accept_rewritten')
  else if (mark.startsWith('auth_key')) tell('start_is_callback')
  else if (isOutcome(mark)) examination.tellOutcome(mark, 'Start')
  else tell(mark === 'application_error' ? 'start_error' : 'start_other_page', status)
  return undefined
}

/** Requests the start until the login answers: by https, as a form, and with the secret of a tab. */
async function open({ ask, input }: AppExamination): Promise<StartedLogin> {
  const visit = async (visited: Visit): Promise<StartedLogin> => ({ ...visited, answer: await ask(visited) })
  let opened = await visit(own(input.app))
  const { location } = opened.answer
  const { protocol, host, port } = input.app
  // The only redirect that is followed.
  if (protocol === 'http:' && port === '' && location?.protocol === 'https:' && location.host === host)
    opened = await visit(own(location))
  if (isNoRoute(opened.answer)) {
    const byForm = await visit(own(opened.url, 'POST'))
    if (!isNoRoute(byForm.answer)) opened = byForm
  }
  if (opened.answer.mark !== 'tab') return opened
  const tabSecret = invented()
  return { ...(await visit({ ...opened, url: withParameter(opened.url, TAB_PARAMETER, tabSecret) })), tabSecret }
}

const isNoRoute = ({ mark, status }: Answer): boolean => mark === undefined && (status === 404 || status === 405)

/** A start by a link or a form on the application's first page. */
export function own(url: URL, method: 'GET' | 'POST' = 'GET'): Visit {
  return as({ url, method }, navigation('same-origin', `${url.origin}/`))
}

/** A form also sends its origin. */
function as(start: Omit<Visit, 'headers'>, headers: Record<string, string>): Visit {
  const { referer } = headers
  const isForm = start.method === 'POST' && referer !== undefined
  return { ...start, headers: isForm ? { ...headers, origin: new URL(referer).origin } : headers }
}

function tellLoginPage({ input, tell }: AppExamination, page: URL): void {
  const id = page.searchParams.get('app_id') ?? ''
  const isOther = input.baseURL && addressOf(loginURL(input.baseURL, '')) !== addressOf(page)
  if (isOther) tell('provider_differs', addressOf(page))
  else if (input.appID !== undefined && input.appID !== id) tell('app_id_differs', id)
  else tell('start_good', `${id} at ${addressOf(page)}`)
}

/** @returns whether Fetch Metadata arrives */
async function examineHeaders(examination: AppExamination, start: StartedLogin, callback: URL): Promise<boolean> {
  const { ask, findings, tell } = examination
  const { url, answer: first } = start
  const before = findings.length
  const foreign = await ask(as(start, navigation('cross-site', FOREIGN_PAGE)))
  const byScript = await ask(as(start, script(url)))
  const byReferer = await ask(as(start, navigation(undefined, `${url.origin}/`)))
  const hasMetadata = byScript.mark === 'navigation_required'
  if (!hasMetadata) tell(byScript.mark === undefined ? 'way_back_unknown' : 'sec_fetch_removed')
  // With `unverifiedStart: 'allow'`, every start succeeds, and shows nothing about headers.
  if (isUnverified(foreign) && isUnverified(byReferer)) await explainUnverified(examination, start, callback)
  const prefetch = { ...start, headers: { ...start.headers, 'sec-purpose': 'prefetch' } }
  if (start.method === 'GET' && (await ask(prefetch)).mark === 'start') tell('prefetch_starts')
  if (first.headers['referrer-policy']) tell('referrer_policy')
  if (!`${first.headers['cache-control']}`.includes('no-store')) tell('no_store_missing')
  // A cookie that is the same for everyone may come from something other than the login. A cache returns the same
  // cookie only for the same query.
  const second = byReferer.mark === 'start' ? byReferer : await ask(start)
  const isAlike = ({ cookies }: Answer): boolean => cookies.length > 0 && `${first.cookies}` === `${cookies}`
  const elsewhere = { ...start, url: withParameter(url, 'visitor') }
  if (isAlike(second) && !isAlike(await ask(elsewhere))) tell('start_cached')
  if (findings.length === before) tell('headers_good')
  return hasMetadata
}

/** Reports why a page of the application is not taken for one: by any header, or, after a start, by its Referer alone. */
async function explainUnverified({ ask, tell }: AppExamination, start: StartedLogin, callback: URL): Promise<void> {
  const { origin, protocol, host } = start.url
  const level = isUnverified(start.answer) ? 'broken' : 'differs'
  // This callback has no login, so nothing is sent. A foreign Referer that arrives is refused before the missing login.
  const { mark } = await ask({ url: withKey(callback), headers: navigation(undefined, FOREIGN_PAGE) })
  if (mark === 'login_not_started') return tell(level === 'broken' ? 'headers_removed' : 'referer_removed')
  if (mark !== 'callback_forged') return level === 'broken' ? tell('start_not_verified') : undefined
  const otherScheme = `${protocol === 'https:' ? 'http:' : 'https:'}//${host}`
  const otherName = `${protocol}//${host.startsWith('www.') ? host.slice(4) : `www.${host}`}`
  for (const other of [otherScheme, otherName, IN_DEVELOPMENT]) {
    const answer = await ask(as(start, navigation(undefined, `${other}/`)))
    if (answer.mark === 'start' || answer.mark === 'tab') return tell('callback_url_differs', other, level)
  }
  tell('host_rewritten', origin, level)
}

function isUnverified({ mark }: Answer): boolean {
  return mark === 'confirm' || mark === 'start_forbidden'
}
