import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { type RequestRules, readRequest } from '../../lib/login/request'

export type Headers = Readonly<Record<string, string>>

export const rules: RequestRules = {
  callbackPath: '/auth/callback',
  appOrigin: 'https://app.example',
  providerOrigin: 'https://social.example',
  allowedStartOrigins: new Set(['https://www.app.example']),
  allowedCallbackOrigins: new Set(['https://login.social.example']),
  unprovenStart: 'confirm',
  tabBinding: false,
}

/** The rules of an application that gives its callbackURL as a path: only `Host` tells its origin. */
export const hostOnlyRules: RequestRules = { ...rules, appOrigin: undefined }

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

/** What a request was read as, in one line. */
export function verdictOf(read: ReturnType<typeof readRequest>): string {
  if (read.type === 'refused') return read.code
  return read.type === 'start' ? `start ${read.proven ? 'proven' : 'unproven'}` : `callback ${read.authKey}`
}

export function readStart(headers: Headers, more: object = {}, given: RequestRules = rules): string {
  return verdictOf(readRequest(incoming('/login', headers, more), given))
}

export function readCallback(headers: Headers, more: object = {}, given: RequestRules = rules): string {
  return verdictOf(readRequest(incoming('/auth/callback?auth_key=K', headers, more), given))
}
