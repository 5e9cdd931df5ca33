import { Readable } from 'node:stream'
import { nodeNetwork } from '../../lib/client/http/pools'
import { Semaphore } from '../../lib/client/semaphore'
import { Login } from '../../lib/login/login'
import type { CommonOptions } from '../../lib/login/providers/options'
import type { LoginSettings } from '../../lib/login/providers/provider'
import { parseLoginOptions } from '../../lib/login/providers/settings'
import type { Owner } from './clock'
import type { Configuration, ProviderName } from './configuration'
import { APP_ORIGIN } from './rows'

/** What the application makes of an exchanged key. */
export type User = string | false

/** One process of the application, from its start to its end. */
export interface Process extends Owner {
  readonly name: string
  readonly logins: Readonly<Record<ProviderName, Login<User>>>
  hasWorked: boolean
  /** When it was started, and when it used a login: by this it forgets used logins. */
  readonly usedAt: number[]
}

/** Sends a request to a provider: resolves to the status and body, or rejects where the connection was lost. */
export type SendToProvider = (
  provider: ProviderName,
  request: { readonly path: string; readonly body: string | null; readonly token: string | undefined },
) => Promise<readonly [status: number, body: string]>

export const PROVIDER_ORIGINS: Readonly<Record<ProviderName, string>> = {
  honest: 'https://honest.example',
  hostile: 'https://hostile.example',
}

export function startPath(provider: ProviderName): string {
  return `/auth/${provider}`
}

export function callbackPath(provider: ProviderName): string {
  return `/auth/${provider}/callback`
}

/** The settings of one configuration, which all its worlds share: to read them takes longer than many an event. */
export type Settings = Readonly<Record<ProviderName, LoginSettings>>

export function settingsOf(
  { tabBinding, unverifiedStart, maxConcurrentLogins }: Configuration,
  send: SendToProvider,
): Settings {
  const read = (provider: ProviderName): LoginSettings => {
    const options: CommonOptions = {
      name: provider,
      baseURL: `${PROVIDER_ORIGINS[provider]}/api/v1`,
      clientID: 'application',
      clientSecret: 'secret',
      callbackURL: APP_ORIGIN + callbackPath(provider),
      tabBinding,
      unverifiedStart,
      maxConcurrentLogins,
      dispatcher: {
        async request({ path, body, headers }) {
          const token = headers['authorization']?.slice('Bearer '.length)
          const [statusCode, text] = await send(provider, { path, body, token })
          return { statusCode, headers: {}, body: Readable.from([Buffer.from(text)]) }
        },
      },
    }
    const found = parseLoginOptions(options, nodeNetwork).find(
      () => undefined,
      () => 'start',
    )
    if (found instanceof Promise) throw new Error('the only provider is known at once')
    return found
  }
  return { honest: read('honest'), hostile: read('hostile') }
}

export function startProcess(name: string, skew: number, slots: number, settings: Settings): Process {
  const login = (provider: ProviderName): Login<User> => {
    // What counts is each process's own.
    const own = { ...settings[provider], concurrentLogins: new Semaphore(slots) }
    return new Login({ name: own.name, find: () => own, close: async () => {} })
  }
  return { name, skew, logins: { honest: login('honest'), hostile: login('hostile') }, hasWorked: false, usedAt: [] }
}
