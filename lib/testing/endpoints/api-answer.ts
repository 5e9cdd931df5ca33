import { randomBytes } from 'node:crypto'
import type { ProviderBehaviours } from '../behaviours'
import type { Answer } from '../http/request'

const warning =
  '<br />\n<b>Warning</b>:  Undefined array key "lang" in <b>/srv/api/index.php</b> on line <b>12</b><br />\n'

/** An API response: JSON, formatted according to the mode. */
export function jsonAnswer(
  behaviours: ProviderBehaviours,
  json: string,
  status = 200,
  headers: Answer['headers'] = {},
): Answer {
  const mediaType = behaviours.htmlContentType ? 'text/html' : 'application/json'
  const cookie = { 'set-cookie': `PHPSESSID=${randomBytes(13).toString('hex')}; path=/` }
  return {
    status,
    headers: {
      'content-type': `${mediaType}; charset=utf-8`,
      'cache-control': 'no-store',
      ...(behaviours.sessionCookie ? cookie : {}),
      ...headers,
    },
    body: behaviours.scriptWarnings ? warning + json : json,
  }
}

/**
 * An error of the API. The specification shows none: status and format are our own choice, close to deployed servers.
 */
export function errorAnswer(
  behaviours: ProviderBehaviours,
  status: number,
  message: string,
  headers: Answer['headers'] = {},
): Answer {
  const shownStatus = behaviours.errorsAtStatus200 ? 200 : status
  return jsonAnswer(behaviours, JSON.stringify({ error: true, message }), shownStatus, headers)
}

/** A page of the web server before the API: an outage, a firewall, or an endpoint that does not exist. */
export function serverPage(status: 200 | 403 | 404, title: string): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1></html>`,
  }
}

/** The one value of a parameter; undefined when it is missing, empty or repeated. */
export function oneOf(parameters: URLSearchParams, name: string): string | undefined {
  const [value, ...others] = parameters.getAll(name)
  return others.length > 0 || value === '' ? undefined : value
}
