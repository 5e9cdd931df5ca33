import { randomBytes } from 'node:crypto'
import type { Application, ApplicationInput } from '../types'
import { Registry } from './registry'

const visibleASCII = /^[\x21-\x7e]{1,200}$/

/** @throws TypeError for what is no name of an application or a provider */
export function checkedName(name: string): string {
  const trimmed = typeof name === 'string' ? name.trim() : ''
  if (trimmed === '' || trimmed.length > 200) throw new TypeError('name must have 1 to 200 characters')
  return trimmed
}

function checkedRedirectURL(redirectURL: string): string {
  // A Location header cannot contain a line break or a raw space, and blind appending would not encode it. Parsing
  // takes quadratic time for a long host name.
  if (!/^[\x21-\x7e]{0,2000}$/.test(redirectURL)) {
    throw new TypeError('redirectURL must be percent-encoded: at most 2000 visible ASCII characters')
  }
  const protocol = URL.canParse(redirectURL) ? new URL(redirectURL).protocol : ''
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError('redirectURL must be an absolute http: or https: URL')
  }
  return redirectURL
}

function checkedCredential(option: string, value: string): string {
  if (!visibleASCII.test(value)) throw new TypeError(`${option} must have 1 to 200 visible ASCII characters`)
  return value
}

export class Applications extends Registry<Application> {
  constructor() {
    super('application with this appID')
  }

  register(input: ApplicationInput): Application {
    const appID = checkedCredential('appID', input.appID ?? randomBytes(10).toString('hex'))
    if (this.has(appID)) throw new TypeError('appID is already taken by another application')
    return this.store(appID, {
      appID,
      appSecret: checkedCredential('appSecret', input.appSecret ?? randomBytes(32).toString('base64url')),
      name: checkedName(input.name),
      redirectURL: checkedRedirectURL(input.redirectURL),
    })
  }

  update(appID: string, changes: { name?: string; redirectURL?: string }): Application {
    const before = this.existing(appID)
    return this.store(appID, {
      ...before,
      name: checkedName(changes.name ?? before.name),
      redirectURL: checkedRedirectURL(changes.redirectURL ?? before.redirectURL),
    })
  }

  renewSecret(appID: string): Application {
    return this.store(appID, { ...this.existing(appID), appSecret: randomBytes(32).toString('base64url') })
  }
}
