import * as urls from '../../lib/client/url-options'
import * as generic from '../../lib/values'

const values = { ...generic, ...urls }

// What each kind of option may be, and what is said of anything else.

type Parse = (value: unknown, name: string, options: object) => unknown

/** What is said of a value that is refused; `undefined` if it is accepted. */
function refusal(parse: unknown, value: unknown, options: object = {}): string | undefined {
  try {
    Reflect.apply(Object(parse), undefined, [value, 'it', options])
    return undefined
  } catch (error) {
    return String(error)
  }
}

const parsed = (parse: unknown, value: unknown, options: object = {}): unknown =>
  Reflect.apply(Object(parse), undefined, [value, 'it', options])

describe('a whole number', () => {
  const parse = values.integer(7, 1200)
  test('has a default, and a range', () => {
    expect([undefined, 1, 1200].map((value) => parsed(parse, value))).toStrictEqual([7, 1, 1200])
  })
  test.each([0, 1201, 1.5, -1, Number.NaN, Infinity, '5', null, true])('is not %p', (value) => {
    expect(refusal(parse, value)).toBe('TypeError: it must be a whole number from 1 to 1,200')
  })
})

describe('one of several texts', () => {
  const parse = values.choice('a', 'b', 'c')
  test('is the first by default', () => {
    expect([undefined, 'a', 'b', 'c'].map((value) => parsed(parse, value))).toStrictEqual(['a', 'a', 'b', 'c'])
  })
  test.each(['A', '', null, 7])('is not %p', (value) => {
    expect(refusal(parse, value)).toBe('TypeError: it must be one of: a, b, c')
  })
})

test('what is true or false is false by default, and no text or number', () => {
  expect([undefined, false, true].map((value) => parsed(values.parseBoolean, value))).toStrictEqual([
    false,
    false,
    true,
  ])
  for (const value of ['true', 'false', '', 0, 1, null])
    expect(refusal(values.parseBoolean, value)).toBe('TypeError: it must be true or false')
})

test('a function is a function, or is left out', () => {
  const given = (): void => {}
  expect([undefined, given].map((value) => parsed(values.parseFunction, value))).toStrictEqual([undefined, given])
  for (const value of [null, 'f', {}])
    expect(refusal(values.parseFunction, value)).toBe('TypeError: it must be a function')
})

describe('a text', () => {
  test.each<[unknown, string]>([
    [undefined, 'a non-empty string (is a variable not set?)'],
    ['', 'a non-empty string (is a variable not set?)'],
    [7, 'a string'],
    [null, 'a string'],
    [' \n', 'a non-empty string'],
  ])('is not %p', (value, what) => {
    for (const parse of [values.parseText, values.parseUserAgent])
      expect(refusal(parse, value)).toBe(`TypeError: it must be ${what}`)
    if (value !== undefined) expect(refusal(values.parseOptionalText, value)).toBe(`TypeError: it must be ${what}`)
  })

  test('may be left out where it is optional', () => {
    expect([undefined, 'a'].map((value) => parsed(values.parseOptionalText, value))).toStrictEqual([undefined, 'a'])
  })

  test('has no white space at its ends, and at most 2,048 characters', () => {
    const longest = 'x'.repeat(2048)
    expect(['a b', longest].map((value) => parsed(values.parseText, value))).toStrictEqual(['a b', longest])
    for (const value of [' a', 'a\n'])
      expect(refusal(values.parseText, value)).toBe(
        'TypeError: it must not begin or end with white space (a line break?)',
      )
    expect(refusal(values.parseText, `${longest}x`)).toBe('TypeError: it must have at most 2,048 characters')
  })

  test('that is a User-Agent is printable ASCII of at most 256 characters', () => {
    const good = ['a ~', 'x'.repeat(256)]
    expect(good.map((value) => parsed(values.parseUserAgent, value))).toEqual(good)
    for (const value of [
      'x'.repeat(257),
      'a\tb',
      'a\r\nX: y',
      'a\0',
      'a\u007f',
      'é',
      'xéx',
      'x\u001fx',
      '😀',
      'a\u2028b',
    ])
      expect(refusal(values.parseUserAgent, value)).toBe(
        'TypeError: it must have at most 256 characters, all of them printable ASCII',
      )
  })
})

const NO_PASSWORD = 'hold no user name or password'
const OF_HTTP =
  ': its Authorization header carries the access token, so a login of HTTP itself (a staging site?) must leave out the API, for example by the address of this machine'
const NO_URL = 'be an absolute http(s) URL'
const NO_QUERY = 'have no query and no fragment'
const NOT_PLAIN = 'be https: plain http is for loopback hosts (see allowInsecureHTTP)'

describe('a URL', () => {
  const kinds = { baseURL: values.parseBaseURL, page: values.parsePageURL, uploads: values.parseUploadsURL }

  test.each<[url: string, must: string]>([
    ['social.example/api/v1', NO_URL],
    ['/api/v1', NO_URL],
    ['ftp://social.example/v1', NO_URL],
    ['xhttps://social.example/v1', NO_URL],
    ['httpsx://social.example/v1', NO_URL],
    ...[
      '//social.example/v1',
      'https://',
      'http://[',
      'https://a b/v1',
      'file:///v1',
      'javascript:0//v1',
      'data:,/v1',
    ].map((url): [string, string] => [url, NO_URL]),
    [`https://social.example/${'x'.repeat(2048)}/v1`, 'have at most 2,048 characters'],
    [`https://${'x'.repeat(256)}/v1`, NO_URL],
    ['http://social.example/api/v1', NOT_PLAIN],
    ['https://social.example/api/v1?a', NO_QUERY],
    ['https://social.example/api/v1#a', NO_QUERY],
    ['', 'be a non-empty string (is a variable not set?)'],
  ])('is not %s', (url, must) => {
    for (const parse of Object.values(kinds)) expect(refusal(parse, url)).toBe(`TypeError: it must ${must}`)
  })

  test.each(['https://ann@social.example/v1', 'https://:password@social.example/v1'])(
    'has no user and no password: %s',
    (url) => {
      expect(refusal(kinds.baseURL, url)).toBe(`TypeError: it must ${NO_PASSWORD}${OF_HTTP}`)
      expect(refusal(kinds.page, url)).toBe(`TypeError: it must ${NO_PASSWORD}`)
      expect(refusal(kinds.uploads, url)).toBe(`TypeError: it must ${NO_PASSWORD}`)
    },
  )

  test.each([
    ['http://localhost/v1', true],
    ['http://app.localhost/v1', true],
    ['http://127.0.0.1/v1', true],
    ['http://127.255.1.20:8080/v1', true],
    ['http://[::1]/v1', true],
    ['http://localhost.example/v1', false],
    ['http://notlocalhost/v1', false],
    ['http://127.0.0.1.example/v1', false],
    ['http://1127.0.0.1.example/v1', false],
    ['http://[::2]/v1', false],
    ['http://10.0.0.1/v1', false],
    ['http://0.0.0.0/v1', false],
  ])('may be plain http on this machine alone, unless that is allowed: %s', (url, isOwn) => {
    for (const parse of Object.values(kinds)) {
      const refused = isOwn ? undefined : `TypeError: it must ${NOT_PLAIN}`
      expect(refusal(parse, url)).toBe(refused)
      expect(refusal(parse, url, { allowInsecureHTTP: false })).toBe(refused)
      expect(refusal(parse, url, { allowInsecureHTTP: true })).toBeUndefined()
    }
  })

  test.each(['127.0.0.1234', '127.0.0', 'xlocalhost', 'localhostx', '.localhost', '[::1]x'])(
    'is not of this machine: %s',
    (host) => {
      expect(values.isLoopback(host)).toBe(false)
    },
  )

  test('may be allowed to be plain http by true alone', () => {
    expect(refusal(kinds.page, 'http://social.example/', { allowInsecureHTTP: 1 })).toBe(
      'TypeError: allowInsecureHTTP must be true or false',
    )
  })

  test.each([
    ['https://social.example/api/v1', '', '/api/v1', '/api'],
    ['https://social.example/api/v1/', '', '/api/v1', '/api'],
    ['https://social.example/v1', '', '/v1', ''],
    ['https://social.example:8443/a/v1/b/v1', ':8443', '/a/v1/b/v1', '/a/v1/b'],
  ])('of the API is read into its parts: %s', (url, port, basePath, oauthPath) => {
    expect(parsed(kinds.baseURL, url)).toEqual({ origin: `https://social.example${port}`, basePath, oauthPath })
  })

  test.each([
    'https://social.example/',
    'https://social.example/api/v2',
    'https://social.example/v1//',
    'https://social.example/v1/x',
    'https://social.example/v1/..',
    'https://social.example/api/V1',
    'https://social.example/apiv1',
    'https://v1.example',
  ])('of the API ends in /v1: not %s', (url) => {
    expect(refusal(kinds.baseURL, url)).toBe('TypeError: it must end in /v1, such as https://social.example/api/v1')
  })

  test('of a page and of uploads may be left out, and a folder ends in a slash', () => {
    expect([parsed(kinds.page, undefined), parsed(kinds.uploads, undefined)]).toStrictEqual([undefined, undefined])
    const folders = ['https://social.example', 'https://social.example/a', 'https://social.example/a/']
    expect(folders.map((url) => String(parsed(kinds.page, url)))).toStrictEqual([
      'https://social.example/',
      'https://social.example/a',
      'https://social.example/a/',
    ])
    expect(folders.map((url) => String(parsed(kinds.uploads, url)))).toStrictEqual([
      'https://social.example/',
      'https://social.example/a/',
      'https://social.example/a/',
    ])
  })

  // `url.search` is empty then.
  test('with a question mark alone has a query, too', () => {
    expect(refusal(kinds.baseURL, 'https://social.example/v1?')).toBe(`TypeError: it must ${NO_QUERY}`)
    expect(refusal(kinds.page, 'https://social.example/v1#')).toBe(`TypeError: it must ${NO_QUERY}`)
  })
})

describe('a callback', () => {
  test.each<[given: string, path: string, origin: string | undefined]>([
    ['/auth/callback', '/auth/callback', undefined],
    ['/a/../b', '/b', undefined],
    ['https://app.example/cb', '/cb', 'https://app.example'],
    ['HTTPS://app.example:443/cb', '/cb', 'https://app.example'],
    ['http://localhost:3000/cb', '/cb', 'http://localhost:3000'],
  ])('is read into its path, and its origin if it has one: %s', (given, path, origin) => {
    expect(parsed(values.parseCallbackURL, given)).toEqual({ path, origin })
  })

  const NO_FRAGMENT = 'have no fragment: browsers do not send it, nor an auth_key after it'
  const NO_QUERY_OF_ITS_OWN =
    'have no query: it does not tell one callback from another, and providers append ?auth_key= to it'
  const NO_PATH = 'be a path such as /auth/social-login/callback, or an absolute URL'

  test.each<[given: unknown, must: string]>([
    [undefined, 'be a non-empty string (is a variable not set?)'],
    ['/cb#a', NO_FRAGMENT],
    ['#', NO_FRAGMENT],
    ['/cb?a#b', NO_FRAGMENT],
    ['/cb?a', NO_QUERY_OF_ITS_OWN],
    ['?x', NO_QUERY_OF_ITS_OWN],
    ['https://app.example/cb?', NO_QUERY_OF_ITS_OWN],
    ['cb', 'be an absolute http(s) URL, or a path that starts with /'],
    ...['app://cb', './cb', '\\cb', 'localhost:3000/cb', 'javascript:0'].map((given): [string, string] => [
      given,
      'be an absolute http(s) URL, or a path that starts with /',
    ]),
    ['xhttps://app.example/cb', 'be an absolute http(s) URL, or a path that starts with /'],
    ['//evil.example/cb', NO_PATH],
    ['/\\evil.example/cb', NO_PATH],
    ['/a\\b', NO_PATH],
    ['https:/cb', NO_URL],
    ['https://ann@app.example/cb', NO_PASSWORD],
    ['http://app.example/cb', NOT_PLAIN],
  ])('is not %s', (given, must) => {
    expect(refusal(values.parseCallbackURL, given)).toBe(`TypeError: it must ${must}`)
    expect(refusal(values.parseWholeCallbackURL, given)).toBe(`TypeError: it must ${must}`)
  })

  test('that must be whole is no path', () => {
    expect(parsed(values.parseWholeCallbackURL, 'HTTPS://APP.example:443/a/../cb')).toBe('https://app.example/cb')
    expect(parsed(values.parseWholeCallbackURL, 'http://app.example/cb', { allowInsecureHTTP: true })).toBe(
      'http://app.example/cb',
    )
    expect(refusal(values.parseWholeCallbackURL, '/cb')).toBe(
      'TypeError: it must be the whole registered URL: its origin is that of the application',
    )
  })
})

describe('origins', () => {
  test('are none by default, and are kept as browsers write them', () => {
    const given = ['https://www.app.example', 'HTTP://localhost:3000', 'https://www.app.example']
    expect([...Object(parsed(values.parseOrigins, given))]).toStrictEqual([
      'https://www.app.example',
      'http://localhost:3000',
    ])
    expect(parsed(values.parseOrigins, undefined)).toEqual(new Set())
  })

  test.each(['https://app.example', new Set(), null])('are an array: not %p', (given) => {
    expect(refusal(values.parseOrigins, given)).toBe(
      'TypeError: it must be an array of origins such as https://www.app.example',
    )
  })

  test.each([
    'https://app.example/',
    'https://app.example/a',
    'https://app.example:443',
    'https://app.example?x',
    'https://u@app.example',
    'https://*.app.example',
    ' https://app.example',
    'https://',
    '//app.example',
    'app.example',
    '*',
    'javascript:0',
    'file://',
    'ftp://app.example',
    'xhttps://app.example',
    'httpsx://app.example',
    'null',
    '',
    7,
    undefined,
  ])('hold no %p', (origin) => {
    expect(refusal(values.parseOrigins, [origin])).toBe(
      'TypeError: it must hold origins such as https://www.app.example, without a path',
    )
  })
})

describe('options', () => {
  test('are read by the table of their names alone, each with its own name and all others', () => {
    const seen: unknown[] = []
    const parse: Parse = (...given) => seen.push(given)
    const options = { a: 1, c: 3 }
    expect(values.parseOptions({ a: parse, b: parse }, options)).toEqual({ a: 1, b: 2 })
    expect(seen).toStrictEqual([
      [1, 'a', options],
      [undefined, 'b', options],
    ])
  })

  const check = (options: unknown, cures?: object) => () =>
    Reflect.apply(values.refuseUnknown, undefined, ['It', options, ['baseURL', 'timeout'], cures])

  test('may hold what is known, and what is undefined', () => {
    for (const options of [{}, { baseURL: 1 }, { timeout: null, other: undefined }])
      expect(check(options, { other: 'leave it' })).not.toThrow()
  })

  test.each<[options: unknown, message: string]>([
    [{ other: 1 }, 'other is not an option of It'],
    [{ baseUrl: 1 }, 'baseUrl is not an option of It: did you mean baseURL?'],
    [{ BASEURL: 1, other: 1 }, 'BASEURL is not an option of It: did you mean baseURL?'],
    [{ old: 1 }, 'old is not an option of It: give it elsewhere'],
    [{ toString: 1 }, 'toString is not an option of It'],
    [undefined, 'It needs an options object, not undefined'],
    [null, 'It needs an options object, not null'],
    ['text', 'It needs an options object, not a string'],
    [[], 'It needs an options object, not an array'],
  ])('%j are refused', (options, message) => {
    expect(check(options, { old: 'give it elsewhere' })).toThrow(new TypeError(message))
  })
})
