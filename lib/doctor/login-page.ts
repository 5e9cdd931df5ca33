import { invented, loginURL } from './endpoints'
import type { Examination } from './examination'
import { ProbeError } from './probe-error'
import type { ProbeResponse } from './probe-response'
import { kindOf, redirectTarget } from './response-kind'

const MAX_REDIRECTS = 5
const CHECK = 'Login page'

interface Page {
  readonly url: URL
  readonly response: ProbeResponse
}

/** Visits the login page as a person without cookies would, with the application's id and with one that nobody has. */
export async function checkLoginPage(baseURL: URL, appID: string | undefined, examination: Examination): Promise<void> {
  examination.progress('Visiting the login page')
  try {
    const unknown = await visit(loginURL(baseURL, invented()), examination)
    const known = appID === undefined ? undefined : await visit(loginURL(baseURL, appID), examination)
    if (!reportPage(known ?? unknown, known !== undefined, examination)) return
    reportOrigin(baseURL, known ?? unknown, examination)
    if (known) reportApplication(known, unknown, examination)
    reportCookies((known ?? unknown).response, examination)
    reportFrames((known ?? unknown).response, examination)
  } catch (error) {
    examination.broken(CHECK, ProbeError.caught(error).message)
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
function reportPage({ response }: Page, isKnown: boolean, examination: Examination): boolean {
  const kind = kindOf(response)
  if (kind === 'firewall' && response.status !== 400 && response.status !== 403) {
    examination.differs(
      CHECK,
      'A firewall asks visitors for more than this program can do: look at the page in a browser.',
    )
    return false
  }
  if (kind === 'server-error') {
    examination.broken(CHECK, `It fails with status ${response.status}.`)
    return false
  }
  if (response.status >= 400 && isKnown) {
    examination.broken(
      CHECK,
      `It refuses the application id with status ${response.status}: copy app_id from the site's page for developers.`,
    )
    return false
  }
  if (response.status >= 400 && response.status < 500) {
    examination.good(CHECK, `It refuses an id that nobody has, with status ${response.status}: give --app-id for more.`)
    return false
  }
  return true
}

function reportOrigin(baseURL: URL, { url, response }: Page, examination: Examination): void {
  const script = scriptRemark(response.text)
  if (url.origin === baseURL.origin) return examination.good(CHECK, `It is on the origin of the API.${script}`)
  if (!examination.isHarmless(url.origin)) return
  examination.options.allowedCallbackOrigins = [url.origin]
  const refused = 'Callbacks from there are refused unless allowedCallbackOrigins names it'
  examination.differs(CHECK, `It is on another origin than the API, ${url.origin}. ${refused}.${script}`)
}

function scriptRemark(text: string): string {
  if (/<form\b/i.test(text)) return ' It works without JavaScript.'
  return /<script\b/i.test(text) ? ' It needs JavaScript.' : ''
}

function reportApplication(known: Page, unknown: Page, examination: Examination): void {
  const isSame =
    known.response.status === unknown.response.status &&
    known.url.pathname === unknown.url.pathname &&
    Math.abs(known.response.text.length - unknown.response.text.length) < 64
  if (isSame)
    examination.differs(
      'Application',
      'The login page looks the same for an id that nobody has: whether yours is known shows in a browser.',
    )
  else
    examination.good('Application', 'The site knows the application id: it answers otherwise to one that nobody has.')
}

function reportCookies({ headers }: ProbeResponse, examination: Examination): void {
  // undici gives a single one as a string.
  const cookies = [headers['set-cookie'] ?? []].flat()
  if (cookies.some((cookie) => /;\s*samesite=strict\b/i.test(cookie)))
    examination.differs(
      'Cookies',
      'A cookie of the site is SameSite=Strict: people who come from your application may seem signed out there.',
    )
  else if (cookies.some((cookie) => /;\s*samesite=none\b/i.test(cookie) && !/;\s*secure\b/i.test(cookie)))
    examination.differs('Cookies', 'A cookie of the site is SameSite=None without Secure: browsers drop it.')
}

function reportFrames({ headers }: ProbeResponse, examination: Examination): void {
  const policy = String(headers['content-security-policy'] ?? '')
  const refuses = headers['x-frame-options'] !== undefined || /\bframe-ancestors\b/i.test(policy)
  if (refuses)
    examination.good('Frames', 'The login page cannot be shown in a frame: open it as a page, as the strategy does.')
  const policies = String(headers['cross-origin-opener-policy'] ?? '')
  if (/^same-origin\b/.test(policies))
    examination.differs(
      'Popups',
      'The login page cuts a popup off from the page that opened it: see the recipe for popups.',
    )
}
