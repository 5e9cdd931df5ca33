import * as limits from '../../../lib/limits'
import { codeOf } from './code'
import type { GuardMutant } from './mutant'

type Limit = keyof typeof limits
type NameOf<Default> = Default extends `DEFAULT_${infer Name}` ? Name : never
type LimitOfOption = `${'DEFAULT' | 'MAX'}_${NameOf<Limit>}`

/** The default and the maximum of each option, as its parser has them, are compared with docs/options.md. */
const OPTIONS = ['package/tables']

const STORES = 'unit/login/pending-login/stores'
const HTTP = 'unit/client/http'
const RESPONSE = 'unit/client/response'

/** For each other limit the files that test it at the bound, of which one must notice. */
const TESTS = {
  MAX_AGE_MS: ['unit/login/pending-login/check'],
  MAX_CLOCK_SKEW_MS: ['unit/login/pending-login/check'],
  RETENTION_MS: ['unit/login/pending-login/used-logins'],
  SILENT_APPROVAL_MS: ['unit/login/pending-login/check'],
  AFTER_TAB_LOGIN_MS: ['security/after-tab'],
  INERT_MS: ['unit/login/pages/inert'],
  MAX_WAITING: ['unit/login/pending-login/used-logins'],
  STORE_RETRY_SECONDS: ['login/trouble'],
  MAX_PROVIDERS: ['unit/login/providers/providers'],
  MAX_OWNERS: ['unit/login/providers/owners'],
  MAX_URL_LENGTH: ['unit/client/url'],
  MAX_USER_AGENT_LENGTH: ['unit/passport/options', 'unit/passport/options.refused'],
  MIN_COOKIE_KEY_LENGTH: [`${STORES}/cookie-store.options`],
  MAX_COOKIE_KEYS: [`${STORES}/cookie-store.options`],
  MAX_COOKIE_NAME_LENGTH: [`${STORES}/cookie-store.options`],
  MAX_TARGET_LENGTH: ['unit/login/request/request'],
  MAX_HOST_LENGTH: ['unit/client/url'],
  MAX_AUTH_KEY_LENGTH: ['unit/client/limits'],
  MAX_RETURN_PATH_LENGTH: ['unit/login/pending-login/return-path'],
  MAX_STATE_BYTES: ['unit/login/pending-login/pending-login'],
  MAX_START_PATH_LENGTH: ['unit/login/pending-login/pending-login'],
  MAX_COOKIE_LENGTH: [`${STORES}/cookie-store`],
  MAX_PROFILE_SENDS: ['login/retried-profile'],
  MAX_ADDRESSES: [`${HTTP}/connecting`],
  ADDRESS_TIMEOUT_MS: [`${HTTP}/connecting`],
  CONNECT_RETRY_MS: [`${HTTP}/connecting`],
  CONNECT_RETRIES: [`${HTTP}/connecting`],
  PRECONNECT_INTERVAL_MS: [`${HTTP}/closed-connections`],
  SPARE_MAX_AGE_MS: [`${HTTP}/closed-connections`],
  KEEP_ALIVE_MS: [`${HTTP}/bounds`],
  MAX_TLS_MESSAGES: [`${HTTP}/tls-options`],
  MAX_WIRE_BYTES: [`${HTTP}/bounds`],
  MAX_HEADER_BYTES: [`${HTTP}/bounds`],
  MAX_BODY_BYTES: [`${HTTP}/response-reader`],
  MAX_CHUNKS: [`${HTTP}/response-reader`],
  MAX_LEVELS: [`${RESPONSE}/json`],
  MAX_WAIT_SECONDS: [`${HTTP}/response-reader`],
  MAX_ACCESS_TOKEN_LENGTH: ['unit/client/limits'],
  MAX_ID_LENGTH: ['unit/client/limits'],
  MAX_TEXT_LENGTH: [`${RESPONSE}/profile.fields`],
  MAX_RAW_LENGTH: [`${RESPONSE}/profile.fields`],
  MAX_EMAIL_LENGTH: [`${RESPONSE}/profile.fields`],
  MAX_NAMES: [`${RESPONSE}/responses`],
  MAX_NAME_LEVELS: [`${RESPONSE}/responses`],
} satisfies Readonly<Record<Exclude<Limit, LimitOfOption>, readonly string[]>>

/** Where sockets or the timers of undici decide, which do not count to the millisecond or to the byte: a tenth is seen. */
const INEXACT = ['CONNECT_RETRY_MS', 'KEEP_ALIVE_MS', 'MAX_WIRE_BYTES', 'MAX_HEADER_BYTES'] satisfies readonly Limit[]

/** For each limit one that is greater, and one that is less. */
export const LIMIT_MUTANTS: readonly GuardMutant[] = Object.entries(limits).flatMap(([name, value]) => {
  const tests = new Map<string, readonly string[]>(Object.entries(TESTS)).get(name) ?? OPTIONS
  const step = new Set<string>(INEXACT).has(name) ? Math.round(value / 10) : 1
  const [from = ''] = new RegExp(`^exports\\.${name} = [^=]+;$`, 'm').exec(codeOf('limits')) ?? []
  return ['+', '-'].map((sign) => {
    return { file: 'limits', name: `${name} ${sign} ${step}`, from, to: from.replace(';', ` ${sign} ${step};`), tests }
  })
})
