import { guards } from './mutant'

const STORES = 'unit/login/pending-login/stores'
const OPTIONS = ['unit/client/client', 'unit/passport/options', 'unit/passport/options.refused']
const COOKIES = [`${STORES}/cookie-store`, `${STORES}/cookie-store.options`, 'login/cookie-store', 'login/web']
const CONNECTIONS = ['unit/client/http/closed-connections', 'unit/client/http/connecting', 'unit/client/http/bounds']
const RESPONSES = ['unit/client/http/response-reader', 'unit/client/http/request', 'unit/client/http/bounds']

/** One or two for each constant of `lib/limits.ts`, with the tests of what is limited. */
export const LIMIT_MUTANTS = [
  ...guards(
    'limits',
    ['unit/login/pending-login/check', 'unit/login/pending-login/consumed', 'login/pending-login', 'login/login'],
    [
      ['a login takes a second longer', 'exports.MAX_AGE_MS = 10 * 60 * 1000', 'exports.MAX_AGE_MS = 601 * 1000'],
      ['clocks differ by a second more', 'exports.MAX_CLOCK_SKEW_MS = 60', 'exports.MAX_CLOCK_SKEW_MS = 61'],
      ['a silent approval takes a second longer', 'exports.SILENT_APPROVAL_MS = 30', 'exports.SILENT_APPROVAL_MS = 31'],
      ['a start may follow for a second more', 'exports.AFTER_TAB_LOGIN_MS = 10', 'exports.AFTER_TAB_LOGIN_MS = 11'],
    ],
  ),
  ...guards(
    'limits',
    ['unit/login/pending-login/pending-login', 'unit/login/pending-login/return-path', 'login/pending-login'],
    [
      ['a state may have a byte more', 'exports.MAX_STATE_BYTES = 1024', 'exports.MAX_STATE_BYTES = 1025'],
      ['a state may have a byte less', 'exports.MAX_STATE_BYTES = 1024', 'exports.MAX_STATE_BYTES = 1023'],
      ['a path of 257 characters', 'exports.MAX_START_PATH_LENGTH = 256', 'exports.MAX_START_PATH_LENGTH = 257'],
      ['no path of 256 characters', 'exports.MAX_START_PATH_LENGTH = 256', 'exports.MAX_START_PATH_LENGTH = 255'],
      ['a returnTo of 1,025', 'exports.MAX_RETURN_PATH_LENGTH = 1024', 'exports.MAX_RETURN_PATH_LENGTH = 1025'],
      ['no returnTo of 1,024', 'exports.MAX_RETURN_PATH_LENGTH = 1024', 'exports.MAX_RETURN_PATH_LENGTH = 1023'],
    ],
  ),
  ...guards(
    'limits',
    ['unit/login/pending-login/used-logins', 'login/outcomes', 'login/web'],
    [
      ['nine duplicates wait', 'exports.MAX_WAITING = 8', 'exports.MAX_WAITING = 9'],
      ['seven duplicates wait', 'exports.MAX_WAITING = 8', 'exports.MAX_WAITING = 7'],
      ['a store has a second more', 'exports.STORE_RETRY_SECONDS = 5', 'exports.STORE_RETRY_SECONDS = 6'],
    ],
  ),
  ...guards(
    'limits',
    ['unit/login/pages/relative-path'],
    [
      [
        'a button can be pressed at once',
        'exports.INERT_MS = 800',
        'exports.INERT_MS = 0',
        { slow: 'security/browsers/double-click presses the button of a page that a hostile one has opened' },
      ],
    ],
  ),
  ...guards(
    'limits',
    [
      'security/bounded-parsing',
      'unit/login/request/request',
      'unit/client/url',
      'unit/client/response/profile.fields',
    ],
    [
      ['a target of 4,097 characters', 'exports.MAX_TARGET_LENGTH = 4096', 'exports.MAX_TARGET_LENGTH = 4097'],
      ['no target of 4,096 characters', 'exports.MAX_TARGET_LENGTH = 4096', 'exports.MAX_TARGET_LENGTH = 4095'],
      ['a host of 256 characters', 'exports.MAX_HOST_LENGTH = 255', 'exports.MAX_HOST_LENGTH = 256'],
      ['no host of 255 characters', 'exports.MAX_HOST_LENGTH = 255', 'exports.MAX_HOST_LENGTH = 254'],
    ],
  ),
  ...guards('limits', COOKIES, [
    ['a cookie may have a byte more', 'exports.MAX_COOKIE_LENGTH = 4096', 'exports.MAX_COOKIE_LENGTH = 4097'],
    ['a cookie may have a byte less', 'exports.MAX_COOKIE_LENGTH = 4096', 'exports.MAX_COOKIE_LENGTH = 4095'],
    ['a key of 31 characters', 'exports.MIN_COOKIE_KEY_LENGTH = 32', 'exports.MIN_COOKIE_KEY_LENGTH = 31'],
    ['eleven keys', 'exports.MAX_COOKIE_KEYS = 10', 'exports.MAX_COOKIE_KEYS = 11'],
    ['a name of 65 characters', 'exports.MAX_COOKIE_NAME_LENGTH = 64', 'exports.MAX_COOKIE_NAME_LENGTH = 65'],
  ]),
  ...guards(
    'limits',
    ['unit/login/providers/providers'],
    [
      ['1,001 providers are kept', 'exports.MAX_PROVIDERS = 1000', 'exports.MAX_PROVIDERS = 1001'],
      ['999 providers are kept', 'exports.MAX_PROVIDERS = 1000', 'exports.MAX_PROVIDERS = 999'],
    ],
  ),
  ...guards(
    'limits',
    [...OPTIONS, 'unit/passport/many-providers.options', 'package/tables', 'doctor/options', 'doctor/bounds'],
    [
      ['a call takes a second more', 'exports.DEFAULT_TIMEOUT_MS = 10_000', 'exports.DEFAULT_TIMEOUT_MS = 11_000'],
      ['a call may take more', 'exports.MAX_TIMEOUT_MS = 120_000', 'exports.MAX_TIMEOUT_MS = 120_001'],
      ['verify takes more', 'exports.DEFAULT_VERIFY_TIMEOUT_MS = 30_000', 'exports.DEFAULT_VERIFY_TIMEOUT_MS = 30_001'],
      ['verify may take more', 'exports.MAX_VERIFY_TIMEOUT_MS = 600_000', 'exports.MAX_VERIFY_TIMEOUT_MS = 600_001'],
      ['127 connections', 'exports.DEFAULT_CONNECTIONS = 128', 'exports.DEFAULT_CONNECTIONS = 127'],
      ['connections have no limit', 'exports.MAX_CONNECTIONS = 10_000', 'exports.MAX_CONNECTIONS = 10_001'],
      ['99 pools', 'exports.DEFAULT_POOLS = 100', 'exports.DEFAULT_POOLS = 99'],
      ['pools have no limit', 'exports.MAX_POOLS = 10_000', 'exports.MAX_POOLS = 10_001'],
      ['an option of 2,049 characters', 'exports.MAX_URL_LENGTH = 2048', 'exports.MAX_URL_LENGTH = 2049'],
      ['a userAgent of 257', 'exports.MAX_USER_AGENT_LENGTH = 256', 'exports.MAX_USER_AGENT_LENGTH = 257'],
    ],
  ),
  ...guards(
    'limits',
    ['unit/client/http/pools', 'security/many-providers', 'login/many-providers.connections'],
    [['two connections for a provider', 'exports.MAX_CONNECTIONS = 10_000', 'exports.MAX_CONNECTIONS = 2']],
  ),
  ...guards(
    'limits',
    ['unit/client/limits', 'unit/client/response/user', 'unit/client/response/responses'],
    [
      ['a key may have 513 characters', 'exports.MAX_AUTH_KEY_LENGTH = 512', 'exports.MAX_AUTH_KEY_LENGTH = 513'],
      ['a key may have 511 characters', 'exports.MAX_AUTH_KEY_LENGTH = 512', 'exports.MAX_AUTH_KEY_LENGTH = 511'],
      ['a token of 4,097', 'exports.MAX_ACCESS_TOKEN_LENGTH = 4096', 'exports.MAX_ACCESS_TOKEN_LENGTH = 4097'],
      ['no token of 4,096', 'exports.MAX_ACCESS_TOKEN_LENGTH = 4096', 'exports.MAX_ACCESS_TOKEN_LENGTH = 4095'],
      ['an id may have 129 characters', 'exports.MAX_ID_LENGTH = 128', 'exports.MAX_ID_LENGTH = 129'],
      ['an id may have 127 characters', 'exports.MAX_ID_LENGTH = 128', 'exports.MAX_ID_LENGTH = 127'],
      ['eleven names are shown', 'exports.MAX_NAMES = 10', 'exports.MAX_NAMES = 11'],
      ['four levels of names are shown', 'exports.MAX_NAME_LEVELS = 3', 'exports.MAX_NAME_LEVELS = 4'],
    ],
  ),
  ...guards(
    'limits',
    ['unit/client/response/json', 'unit/client/response/profile', 'unit/client/response/profile.fields'],
    [
      ['34 levels', 'exports.MAX_LEVELS = 33', 'exports.MAX_LEVELS = 34'],
      ['32 levels', 'exports.MAX_LEVELS = 33', 'exports.MAX_LEVELS = 32'],
      ['a text may have 501 characters', 'exports.MAX_TEXT_LENGTH = 500', 'exports.MAX_TEXT_LENGTH = 501'],
      ['a text may have 499 characters', 'exports.MAX_TEXT_LENGTH = 500', 'exports.MAX_TEXT_LENGTH = 499'],
      ['5,000 characters are decoded', 'exports.MAX_RAW_LENGTH = 4096', 'exports.MAX_RAW_LENGTH = 4097'],
      ['an e-mail may have 255 characters', 'exports.MAX_EMAIL_LENGTH = 254', 'exports.MAX_EMAIL_LENGTH = 255'],
    ],
  ),
  ...guards(
    'limits',
    [...CONNECTIONS, 'unit/client/http/tls-options', 'unit/client/http/address', 'security/name-lookup'],
    [
      ['all addresses of a name are tried', 'exports.MAX_ADDRESSES = 32', 'exports.MAX_ADDRESSES = 33'],
      ['framing has no limit', 'exports.MAX_WIRE_BYTES = 1024 * 1024', 'exports.MAX_WIRE_BYTES = 2 * 1024 * 1024'],
      ['framing is limited to the body', 'exports.MAX_WIRE_BYTES = 1024', 'exports.MAX_WIRE_BYTES = 512'],
      ['one more message of TLS', 'exports.MAX_TLS_MESSAGES = 16', 'exports.MAX_TLS_MESSAGES = 17'],
      ['one message of TLS less', 'exports.MAX_TLS_MESSAGES = 16', 'exports.MAX_TLS_MESSAGES = 15'],
      ['an address has 0.25 seconds', 'exports.ADDRESS_TIMEOUT_MS = 1500', 'exports.ADDRESS_TIMEOUT_MS = 250'],
      [
        'a provider that is away is tried longer',
        'exports.CONNECT_RETRY_MS = 3000',
        'exports.CONNECT_RETRY_MS = 10_000',
      ],
      ['a provider that is away is tried often', 'exports.CONNECT_RETRIES = 6', 'exports.CONNECT_RETRIES = 600'],
      ['a connection for each start', 'exports.PRECONNECT_INTERVAL_MS = 10_000', 'exports.PRECONNECT_INTERVAL_MS = 0'],
      ['a spare connection is kept longer', 'exports.SPARE_MAX_AGE_MS = 50_000', 'exports.SPARE_MAX_AGE_MS = 60_000'],
      ['an idle connection is kept for an hour', 'exports.KEEP_ALIVE_MS = 60_000', 'exports.KEEP_ALIVE_MS = 3_600_000'],
    ],
  ),
  ...guards(
    'limits',
    [...RESPONSES, 'login/retried-profile', 'doctor/bounds'],
    [
      ['a profile is requested three times', 'exports.MAX_PROFILE_SENDS = 2', 'exports.MAX_PROFILE_SENDS = 3'],
      ['headers may have 7 KiB', 'exports.MAX_HEADER_BYTES = 6', 'exports.MAX_HEADER_BYTES = 7'],
      ['headers may have 5 KiB', 'exports.MAX_HEADER_BYTES = 6', 'exports.MAX_HEADER_BYTES = 5'],
      ['a body may have a byte more', 'exports.MAX_BODY_BYTES = 64 * 1024', 'exports.MAX_BODY_BYTES = 64 * 1024 + 1'],
      ['a body may have a byte less', 'exports.MAX_BODY_BYTES = 64 * 1024', 'exports.MAX_BODY_BYTES = 64 * 1024 - 1'],
      [
        'chunks are kept as they come',
        'exports.MAX_CHUNKS = 256',
        'exports.MAX_CHUNKS = 1e9',
        {
          slow: 'faults/answer-memory measures the memory of a process; a million chunks are under the limit of the heap otherwise',
        },
      ],
      ['a wait may take a second more', 'exports.MAX_WAIT_SECONDS = 86_400', 'exports.MAX_WAIT_SECONDS = 86_401'],
    ],
  ),
]
