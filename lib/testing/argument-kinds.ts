import {
  anything,
  finite,
  flag,
  func,
  type Kind,
  object,
  oneOf,
  optional,
  string,
  text,
  whole,
  withMethods,
} from '../values'

// What the arguments of the fake provider and of signIn must be. Ranges of single values are checked where they are used.

const bytes: Kind = {
  must: 'a string or bytes',
  fits: (value) => typeof value === 'string' || value instanceof Uint8Array,
}
const milliseconds: Kind = {
  ...finite,
  must: 'a number of milliseconds from 0',
  inRange: (value) => Number.isFinite(value) && Number(value) >= 0,
}
const count: Kind = {
  ...finite,
  must: 'a whole number from 1, or Infinity',
  inRange: (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && Number(value) >= 1),
}
// Node refuses another one while it sends the answer: the client would ask again, and succeed.
const HEADER = /^[\w!#$%&'*+.^`|~-]+:[\t -~\x80-\xff]*$/
const isHeader = ([name, given]: [string, unknown]): boolean =>
  [given].flat().every((value) => typeof value === 'string' && HEADER.test(`${name}:${value}`))

const FAULT: Readonly<Record<string, Kind>> = {
  status: optional(whole(100, 599)),
  headers: optional({
    ...object('an object of headers as HTTP allows them, each a string or an array of strings'),
    inRange: (value) => Object.entries(Object(value)).every(isHeader),
    isEnumeration: true,
  }),
  body: optional(bytes),
  rewrite: optional(func),
  redirect: optional(string),
  delay: optional(milliseconds),
  drip: optional(milliseconds),
  truncate: optional(whole(0, Number.MAX_SAFE_INTEGER)),
  reset: optional(oneOf(true, false, 'before', 'headers', 'body', 'after')),
  endless: optional(flag),
  raw: optional(bytes),
  hang: optional(flag),
}

export const FAIL_NEXT = {
  endpoint: oneOf('oauth', 'authorize', 'user/me', 'get_user_info'),
  fault: object('an object that describes a fault', FAULT),
  options: object('an object of options', { times: optional(count) }),
}

export const PROVIDER_OPTIONS = {
  options: object('an object of options', {
    port: optional(whole(0, 65_535)),
    host: optional(text),
    allowRemote: optional(flag),
    origin: optional(string),
    mode: anything,
    rateLimit: optional(count),
    name: optional(string),
    users: optional({ must: 'an array of users', fits: Array.isArray }),
    log: optional(func),
    clock: optional(withMethods('a Clock', 'now', 'advance', 'set')),
  }),
}

const behaviours = object('an object of behaviours')
export const MODE = {
  mode: {
    must: "'specification', 'as-deployed' or an object of behaviours",
    fits: (value: unknown) => typeof value === 'string' || behaviours.fits(value),
  },
}
export const APPLICATION_ID = { appID: string }
export const USER_ID = { userID: string }
export const REGISTER_APPLICATION = {
  input: object('an object with name and redirectURL', {
    name: string,
    redirectURL: string,
    appID: optional(string),
    appSecret: optional(string),
  }),
}
export const UPDATE_APPLICATION = {
  ...APPLICATION_ID,
  changes: object('an object with name or redirectURL', { name: optional(string), redirectURL: optional(string) }),
}
const PERSON = object('an object with the fields of a user')
export const ADD_USER = { user: PERSON }
export const UPDATE_USER = {
  ...USER_ID,
  changes: {
    ...PERSON,
    must: 'an object with the fields of a user but user_id, which stays',
    inRange: (value: unknown) => !('user_id' in Object(value)),
    isEnumeration: true as const,
  },
}
export const GRANT = { grant: object('an object with appID and userID', { appID: string, userID: string }) }
export const MILLISECONDS = { ms: finite }

export const SIGN_IN = {
  browser: anything,
  options: object('an object with provider', {
    provider: {
      must: 'a FakeProvider',
      fits: (value) => typeof Reflect.get(Object(value), 'issueAuthKey') === 'function',
    },
    start: optional({
      must: 'a path that begins with /',
      fits: (value) => typeof value === 'string',
      inRange: (value) => String(value).startsWith('/'),
    }),
    method: optional(oneOf('GET', 'POST')),
    cookie: optional({ ...string, must: 'the Cookie header of a user who is signed in' }),
    user: optional({
      must: 'a user of the provider, or the id of one',
      fits: (value) => typeof value === 'string' || typeof Reflect.get(Object(value), 'user_id') === 'string',
    }),
  }),
}

export const MADE_STORE = {
  'what it returns': withMethods('a PendingLoginStore with save, load and consume', 'save', 'load', 'consume'),
}

export const CHECK_STORE = {
  makeStore: func,
  options: object('an object of options', {
    middleware: optional(func),
    atomic: optional(flag),
    passTime: optional(func),
    outage: optional(withMethods('an object with begin and end', 'begin', 'end')),
  }),
}
