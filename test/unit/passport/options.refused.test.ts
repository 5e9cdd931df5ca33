import { CookieStore } from '../../../lib'
import { SocialLoginClient } from '../../../lib/client/client'
import { CLIENT_OPTIONS } from '../../../lib/client/options'
import { MANY_OPTIONS, SHARED_OPTIONS } from '../../../lib/login/providers/options'
import { STRATEGY_OPTIONS } from '../../../lib/passport/options'
import { SocialLogin } from '../../../lib/web'
import { SOCIAL_LOGIN_OPTIONS } from '../../../lib/web/options'
import { expectNoneShown } from '../../support/leak-check'
import { kindOf, parse } from '../../support/option-kinds'
import { canary, construct, failureOf, good, required, verify } from '../../support/options'

const method = (): void => {}
const methods = { save: method, load: method, consume: method }
const pathsOut = [canary, `https://${canary}.example/`, '//evil.example', '/\\evil.example']
/**
 * What is refused of options that are of no simple kind: enough to see that the option has its parser, because what each
 * parser refuses is in test/unit/values.options.test.ts.
 */
const BAD: Readonly<Record<string, readonly unknown[]>> = {
  baseURL: [null, canary, `https://social.example/${canary}`, `https://social.example/api/v1?${canary}`],
  authorizationURL: [null, canary, `https://a.example/login#${canary}`, `https://${canary}@a.example/login`],
  callbackURL: [null, canary, `/cb#${canary}`, `https://${canary}@app.example/cb`],
  userAgent: [null, `${canary}\r\nX: y`],
  skipUserProfile: [null, 0, 1, '', 'true', canary, [], {}],
  store: [null, true, canary, [], {}, ...Object.keys(methods).map((name) => ({ ...methods, [name]: undefined }))],
  dispatcher: [null, true, 1, canary, [], {}, { request: canary }, { dispatch: verify }],
  allowedStartOrigins: [null, canary, [canary]],
  allowedCallbackOrigins: [null, canary, [canary]],
  uploadsURL: [null, canary, `https://a.example/?${canary}`],
  failureRedirect: [null, ...pathsOut],
  successRedirect: [null, ...pathsOut, () => '/'],
}

/** Who has options, with their parsers, and how it gets them, as plain JavaScript can, without type checks. */
const OWNERS: readonly { owner: string; table: object; build: (options: object) => unknown }[] = [
  {
    owner: 'Strategy',
    table: without(MANY_OPTIONS, STRATEGY_OPTIONS),
    build: (options) => construct({ ...good, ...options }),
  },
  {
    owner: 'SocialLogin',
    table: without(MANY_OPTIONS, SOCIAL_LOGIN_OPTIONS),
    build: (options) => Reflect.construct(SocialLogin, [{ ...good, keys: ['k'.repeat(32)], ...options }]),
  },
  {
    owner: 'Strategy of many providers',
    table: { ...SHARED_OPTIONS, ...MANY_OPTIONS },
    build: (options) => construct({ provider: verify, ...options }),
  },
  {
    owner: 'SocialLoginClient',
    table: CLIENT_OPTIONS,
    build: (options) => Reflect.construct(SocialLoginClient, [{ ...required, ...options }]),
  },
]

function without(others: object, table: object): object {
  return Object.fromEntries(Object.entries(table).filter(([name]) => !Object.hasOwn(others, name)))
}

const options = OWNERS.flatMap(({ table, ...others }) =>
  Object.keys(table).map((option) => ({ ...others, option, table, kind: kindOf(table, option) })),
)

test('each option is of a simple kind (see test/support/option-kinds.ts), or has a row in BAD', () => {
  const unknown = options.filter(({ option, kind }) => !kind && !BAD[option])
  expect(unknown.map(({ owner, option }) => `${option} of ${owner} needs a row in BAD: what is refused`)).toStrictEqual(
    [],
  )
  const kinds = new Set(options.map(({ kind }) => kind?.type))
  expect([...kinds].sort()).toStrictEqual(['boolean', 'choice', 'function', 'integer', 'text', undefined])
})

test.each(options)('$option of a $owner is refused with a TypeError that names it, and never its value', (row) => {
  const { option, build, kind } = row
  const values = [...(kind?.bad ?? []), ...(BAD[option] ?? [])]
  for (const value of values) {
    const error = failureOf(() => build({ [option]: value }))
    expect(error.message).toMatch(new RegExp(`^${option} `))
    expectNoneShown(error, [canary, good.clientSecret])
  }
})

test.each(options.filter(({ kind }) => kind))('$option of a $owner may be at either end of what it may be', (row) => {
  const { option, build, table, kind } = row
  for (const value of kind?.good ?? []) {
    expect(build({ [option]: value })).toBeDefined()
    expect(parse(table, option, value)).toBe(value)
  }
})

test.each(Object.keys(good))('the option %s is required', (name) => {
  expect(failureOf(() => construct({ ...good, [name]: undefined })).message).toMatch(new RegExp(`^${name} `))
})

test.each([undefined, null, true, 1, canary, () => {}])('the options %p are refused', (options) => {
  expect(failureOf(() => construct(options)).message).toMatch(/options/)
  expect(failureOf(() => Reflect.construct(SocialLoginClient, [options])).message).toMatch(/options/)
})

test.each([[undefined], [null], [true], [{}], [canary], [Promise.resolve()]])(
  '%p is not a verify function',
  (value) => {
    const error = failureOf(() => construct(good, value))
    expect(error.message).toMatch(/verify/)
    expectNoneShown(error, [canary, good.clientSecret])
  },
)

test.each([
  ['profileEndpoint', 'profileEndpoint is not an option of SocialLoginClient: give it to fetchUser()'],
  ['uploadsURL', 'uploadsURL is not an option of SocialLoginClient: give it to toProfile()'],
  ['callbackURL', 'callbackURL is not an option of SocialLoginClient'],
  ['maxconnections', 'maxconnections is not an option of SocialLoginClient: did you mean maxConnections?'],
])('the client refuses an option that it does not have, %s, by name', (name, message) => {
  const construct = (value: unknown) => Reflect.construct(SocialLoginClient, [{ ...required, [name]: value }])
  expect(failureOf(() => construct(canary))).toEqual(new TypeError(message))
  expect(construct(undefined)).toBeInstanceOf(SocialLoginClient)
})

const NONE = 'the Social Login API has none; remove it'
const DERIVED = 'it is derived from baseURL'
const WHOLE = 'give the whole callbackURL instead'

test.each([
  ['scope', NONE],
  ['scopeSeparator', NONE],
  ['pkce', NONE],
  ['profileFields', NONE],
  ['enableProof', NONE],
  ['graphAPIVersion', NONE],
  ['tokenURL', DERIVED],
  ['userProfileURL', DERIVED],
  ['profileURL', DERIVED],
  ['proxy', WHOLE],
  ['trustProxy', WHOLE],
  ['agent', 'give a dispatcher of undici instead'],
  ['customHeaders', 'the Social Login API has none; for the User-Agent there is userAgent'],
  ['sessionKey', 'the pending login is kept by the store option'],
  ['state', 'every login is bound to its browser without it; remove it'],
  ['callbackUrl', 'did you mean callbackURL?'],
  ['tabbinding', 'did you mean tabBinding?'],
])('an option that does not exist, %s, is refused by name, with what to do instead', (name, cure) => {
  const message = `${name} is not an option of Strategy: ${cure}`
  expect(failureOf(() => construct({ ...good, [name]: true }))).toEqual(new TypeError(message))
  expect(() => construct({ ...good, [name]: undefined })).not.toThrow()
})

test('an option that is like no other is refused by name alone', () => {
  expect(failureOf(() => construct({ ...good, __proto: true }))).toEqual(
    new TypeError('__proto is not an option of Strategy'),
  )
})

test('CookieStore refuses options that do not exist', () => {
  const misspelt: { keys: string[] } = Object.assign({ keys: ['k'.repeat(32)] }, { Name: 'x' })
  expect(() => new CookieStore(misspelt)).toThrow(
    new TypeError('Name is not an option of CookieStore: did you mean name?'),
  )
})

test('the name of Passport’s own strategy, which it would replace, is refused', () => {
  expect(failureOf(() => construct({ ...good, name: 'session' })).message).toMatch(/^name must not be session/)
})
