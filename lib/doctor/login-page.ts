import { invented, loginURL } from './endpoints'
import type { Examination } from './examination'
import { NOT_ASKED, ProbeError, type ProbeResponse } from './probe'
import { kindOf, redirectTarget } from './response'

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
  } catch (error) {
    const { code, message } = ProbeError.caught(error)
    if (code === NOT_ASKED) examination.differs(CHECK, `${message} Look in a browser.`)
    else examination.suspect(CHECK, message)
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
  const { status } = response
  if (status < 400 && kindOf(response) !== 'firewall') return true
  if (kindOf(response) === 'firewall' || status === 429 || status === 503)
    examination.differs(CHECK, `A firewall or a limit keeps this program out (status ${status}): look in a browser.`)
  else if (status >= 500) examination.suspect(CHECK, `It fails with status ${status}.`)
  else if (isKnown)
    examination.suspect(
      CHECK,
      `It refuses the application id with status ${status}: copy app_id from the provider's page for developers.`,
    )
  else examination.good(CHECK, `It refuses an id that nobody has, with status ${status}: give --app-id for more.`)
  return false
}

/** Reports where the login page is, from which callbacks then come. */
export function reportOrigin(baseURL: URL, { url }: Pick<Page, 'url'>, examination: Examination): void {
  if (url.origin === baseURL.origin) return examination.good(CHECK, 'It is on the origin of the API.')
  if (!examination.isHarmless(url.origin)) return
  examination.options.allowedCallbackOrigins = [url.origin]
  const refused = 'Callbacks from there are refused unless allowedCallbackOrigins names it'
  examination.differs(CHECK, `It is on another origin than the API, ${url.origin}. ${refused}.`)
}

function reportApplication(known: Page, unknown: Page, examination: Examination): void {
  const kind = kindOf(unknown.response)
  // These are no answers about the id.
  if (kind === 'firewall' || kind === 'rate-limit' || kind === 'server-error') return
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
    examination.good(
      'Application',
      'The provider knows the application id: it answers otherwise to one that nobody has.',
    )
}
