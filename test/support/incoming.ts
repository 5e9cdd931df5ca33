import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { OriginPolicy } from '../../lib/login/request/headers'
import { classifyRequest as classifyHTTPRequest } from '../../lib/login/request/request'
import { httpRequest } from '../../lib/passport/incoming-message'
import { defaults } from './options'

export type Headers = Readonly<Record<string, string>>

export const policy: OriginPolicy = {
  ...defaults,
  callbackPath: '/auth/callback',
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

/** How a Node request is read through the Passport adapter. */
export function classifyRequest(
  message: Parameters<typeof httpRequest>[0],
  given: OriginPolicy,
): ReturnType<typeof classifyHTTPRequest> {
  return classifyHTTPRequest(httpRequest(message), given)
}

/** How a request was read, in one line. */
export function verdictOf(read: ReturnType<typeof classifyRequest>): string {
  if (read.type === 'refused') return read.code
  return read.type === 'start' ? `start ${read.verified ? 'verified' : 'unverified'}` : `callback ${read.authKey}`
}

export function readStart(headers: Headers, more: object = {}, given: OriginPolicy = policy): string {
  return verdictOf(classifyRequest(incoming('/login', headers, more), given))
}

export function readCallback(headers: Headers, more: object = {}, given: OriginPolicy = policy): string {
  return verdictOf(classifyRequest(incoming('/auth/callback?auth_key=K', headers, more), given))
}
