import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { forgedHint } from '../../lib/explain/requests'
import type { HTTPResponse } from '../../lib/login/pages/page'
import { isForged } from '../../lib/login/pending-login/check'
import type { OriginPolicy } from '../../lib/login/request/description'
import { classifyRequest as classifyHTTPRequest } from '../../lib/login/request/request'
import { httpRequest } from '../../lib/passport/incoming-message'
import { defaults } from './options'

export type Headers = Readonly<Record<string, string>>

export const policy: OriginPolicy = {
  ...defaults,
  callbackPath: '/auth/callback',
  isCallbackCaseSensitive: false,
  appOrigin: 'https://app.example',
  providerOrigin: 'https://social.example',
  allowedStartOrigins: new Set(['https://www.app.example']),
  allowedCallbackOrigins: new Set(['https://login.social.example']),
}

/** The policy for a callbackURL that is only a path: the origin comes from `Host`. */
export const hostOnlyPolicy: OriginPolicy = { ...policy, appOrigin: undefined }

export const fromProvider = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}
export const fromApp = { ...fromProvider, 'sec-fetch-site': 'same-origin' }

/** A request as Node's parser delivers it, without a network. */
export function incoming(url: string, headers: Headers = {}, more: object = {}): IncomingMessage {
  const message = new IncomingMessage(new Socket())
  message.method = 'GET'
  message.url = url
  Object.assign(message.headers, { host: 'app.example' }, headers)
  return Object.assign(message, more)
}

type Refused = Extract<ReturnType<typeof classifyHTTPRequest>, { type: 'refused' }> & { response?: HTTPResponse }
type Read = Extract<ReturnType<typeof classifyHTTPRequest>, { type: 'start' | 'callback' }> | Refused

/** How a Node request is read through the Passport adapter, a forged callback and the request of a router as refused. */
export function classifyRequest(message: Parameters<typeof httpRequest>[0], given: OriginPolicy): Read {
  const read = classifyHTTPRequest(httpRequest(message), given)
  if (read.type === 'routed')
    return { type: 'refused', code: 'navigation_required', phase: 'start', hint: undefined, response: read.response }
  if (read.type === 'callback' && isForged(read))
    return { type: 'refused', code: 'callback_forged', phase: 'callback', hint: forgedHint(read) }
  return read
}

/** How a request was read, in one line. */
export function verdictOf(read: Read): string {
  if (read.type === 'refused') return read.code
  if (read.type === 'callback') return `callback ${read.authKey}`
  return `start ${read.confirmation === undefined ? 'verified' : 'unverified'}`
}

export function readStart(headers: Headers, more: object = {}, given: OriginPolicy = policy): string {
  return verdictOf(classifyRequest(incoming('/login', headers, more), given))
}

export function readCallback(headers: Headers, more: object = {}, given: OriginPolicy = policy): string {
  return verdictOf(classifyRequest(incoming('/auth/callback?auth_key=K', headers, more), given))
}
