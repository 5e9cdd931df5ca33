import { isFailed } from '../client/http/response-reader'
import { invented, inventedLike, loginURL } from './endpoints'
import type { Examination } from './examination'
import { NOT_ASKED, ProbeError, type ProbeResponse, TOO_LARGE } from './probe'
import { kindOf, redirectTarget } from './response'

const MAX_REDIRECTS = 5
interface Page {
  readonly url: URL
  readonly response: ProbeResponse
}

/**
 * Visits the login page as a user without cookies would, with the application's id and with an unknown one.
 * @param hasAPI whether the API answers at the base URL, so that its login page is there, too
 */
export async function checkLoginPage(
  baseURL: URL,
  appID: string | undefined,
  hasAPI: boolean,
  examination: Examination,
): Promise<void> {
  examination.progress('Visiting the login page')
  try {
    const visitWith = async (id: string): Promise<Page> => visit(loginURL(baseURL, id), examination)
    const unknown = await visitWith(appID === undefined ? invented() : inventedLike(appID))
    const page = appID === undefined ? unknown : await visitWith(appID)
    if (isFailed(unknown.response.status)) examination.mode.signInFirst = false
    if (!reportPage(page, unknown, hasAPI, examination)) return
    reportOrigin(baseURL, page, examination)
    if (appID === undefined) return
    // A page that differs at each visit shows nothing.
    const isSame = isAlike(page, unknown) || !isAlike(unknown, await visitWith(inventedLike(appID)))
    if (isSame) examination.mode.signInFirst = true
    reportApplication(unknown, isSame, examination)
  } catch (error) {
    const { code, message } = ProbeError.caught(error)
    // A browser may get further than this program.
    if (code === NOT_ASKED || code === TOO_LARGE) examination.differs('login_page_far', `${message} Look in a browser.`)
    else examination.suspect('login_page_unreachable', message)
  }
}

async function visit(start: URL, { probe }: Examination): Promise<Page> {
  let url = start
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await probe.send({ method: 'GET', url, headers: { accept: 'text/html' } })
    if (kindOf(response) !== 'redirect' || response.headers.location === undefined) return { url, response }
    const next = redirectTarget(response, url)
    if (next === undefined) throw new ProbeError('The login page redirects to something that is no web address.')
    url = next
  }
  throw new ProbeError('The login page redirects in a circle.')
}

/** @returns whether there is a page */
function reportPage(page: Page, unknown: Page, hasAPI: boolean, examination: Examination): boolean {
  const { response } = page
  const { status } = response
  const kind = kindOf(response)
  if (!isFailed(status) && kind !== 'firewall') return true
  if (kind === 'firewall' || kind === 'rate-limit' || status === 503)
    examination.differs(
      'login_page_blocked',
      `A firewall or a limit keeps this program out (status ${status}): look in a browser.`,
    )
  else if (kind === 'server-error') examination.suspect('login_page_fails', `It fails with status ${status}.`)
  else if (page === unknown)
    examination.differs(
      'login_page_unknown',
      `It refuses an id that no application has, with status ${status}: give --app-id for more.`,
    )
  else reportRefusal(status, unknown.response.status === status, hasAPI, examination)
  return false
}

const COPY = "copy app_id from the provider's page for developers"

/** Reports a page that refuses the application's id. @param isForAll whether it refuses an unknown id alike */
function reportRefusal(status: number, isForAll: boolean, hasAPI: boolean, examination: Examination): void {
  // The refused id may be wrong. If it is right, a login shows that.
  delete examination.options.clientID
  if (!isForAll) examination.suspect('app_id_refused', `It refuses the application id with status ${status}: ${COPY}.`)
  else if (hasAPI)
    examination.suspect(
      'app_id_refused',
      `It refuses the application id like one that no application has, with status ${status}: ${COPY}. If it is right, there is no login page at this address.`,
    )
  else
    examination.suspect(
      'login_page_missing',
      `There is none at this address, which answers any id with status ${status}. If the site is in a folder, that is part of the address: https://SITE/FOLDER/api/v1. Or the application id is wrong: ${COPY}.`,
    )
}

/** Reports where the login page is, from which callbacks then come. */
export function reportOrigin(baseURL: URL, { url }: Pick<Page, 'url'>, examination: Examination): void {
  if (url.origin === baseURL.origin) return examination.good('login_page_good', 'It is on the origin of the API.')
  if (!examination.isHarmless(url.origin)) return
  examination.options.allowedCallbackOrigins = [url.origin]
  const refused = 'Callbacks from there are refused unless allowedCallbackOrigins names it'
  examination.differs('login_page_other_origin', `It is on another origin than the API, ${url.origin}. ${refused}.`)
}

/** Compares lengths only: pages may contain the id, and both ids have the same length. */
function isAlike(one: Page, other: Page): boolean {
  return (
    one.response.status === other.response.status &&
    one.url.pathname === other.url.pathname &&
    Math.abs(one.response.text.length - other.response.text.length) < 64
  )
}

function reportApplication({ response }: Page, isSame: boolean, examination: Examination): void {
  // These responses show nothing about the id.
  if (['firewall', 'rate-limit', 'server-error'].includes(kindOf(response))) return
  const [unclear, known] = [
    'The login page looks the same for an id that no application has: check in a browser whether yours is known.',
    'The provider knows the application id: it answers differently to one that no application has.',
  ]
  if (isSame) examination.differs('app_id_unclear', unclear)
  else examination.good('app_id_known', known)
}
