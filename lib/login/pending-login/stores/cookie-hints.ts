import { isLoopback } from '../../../client/option-values'
import { parseURL } from '../../../client/url'

const OTHER_HOST =
  ' Start and come back on one host: cookies of localhost are not sent to 127.0.0.1, nor those of 127.0.0.1 to localhost.'

/** For a request on this machine, which has two names that do not share cookies. */
export function otherHostHint(host = ''): string {
  const url = parseURL(`http://${host}`)
  return url !== undefined && isLoopback(url.hostname) ? OTHER_HOST : ''
}
