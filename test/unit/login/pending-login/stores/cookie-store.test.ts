import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { parseSetCookie, type SetCookie } from 'cookie'
import fc from 'fast-check'
import { CookieStore, type CookieStoreOptions, type PendingLogin } from '../../../../../lib'
import { LoginCookies } from '../../../../../lib/login/pending-login/stores/cookie-store'
import { SealedCookie } from '../../../../../lib/login/pending-login/stores/sealed-cookie'
import { rejectionOf } from '../../../../support/leak-check'
import { newPendingLogin } from '../../../../support/pending-login'
import { isSoak } from '../../../../support/runs'

const MUTATIONS = isSoak ? 100_000 : 5000
const NAME = '__Host-social-login'
const KEY = 'k'.repeat(32)
const store = new CookieStore({ keys: [KEY] })

const RECORD = newPendingLogin({ strategyDigest: 'provider A', user: 'ada', returnTo: '/inbox' })

interface Exchange {
  readonly req: IncomingMessage & { res: ServerResponse }
  /** The Set-Cookie lines of the response. */
  cookies(): string[]
}

function exchange(cookie?: string): Exchange {
  const message = new IncomingMessage(new Socket())
  if (cookie !== undefined) message.headers.cookie = cookie
  const res = new ServerResponse(message)
  return { req: Object.assign(message, { res }), cookies: () => [res.getHeader('set-cookie') ?? []].flat().map(String) }
}

async function seal(by: CookieStore = store, record: PendingLogin = RECORD): Promise<string> {
  const { req, cookies } = exchange()
  await by.save(req, record)
  return nameAndValue(cookies()[0])
}

function nameAndValue(line = ''): string {
  return line.slice(0, line.indexOf(';'))
}

function load(cookie: string, by: CookieStore = store): Promise<PendingLogin | undefined> {
  return by.load(exchange(cookie).req)
}

describe('a sealed record', () => {
  test('is opened unchanged, also among other cookies', async () => {
    expect(await load(await seal())).toEqual(RECORD)
    expect(await load(`a=b;${await seal()}`)).toEqual(RECORD)
    expect(await load(`a=b; \t ${await seal()}; c=d`)).toEqual(RECORD)
  })

  // Browsers protect only the exact prefix __Host-: a sister subdomain can set these names.
  test.each(['__Host- social-login', '__Host-social-login ', '__Host-social-login\t', '__Host\t-social-login'])(
    'is not read from a cookie named %j',
    async (name) => {
      expect(await load((await seal()).replace(NAME, name))).toBeUndefined()
    },
  )

  test('is refused if it is longer than browsers accept, which is 4,096 characters', async () => {
    const record = { ...RECORD, state: 's'.repeat(2800) }
    const rest = 4096 - (await seal(store, record)).length
    const named = (more: number) => new CookieStore({ keys: [KEY], name: `social-login${'n'.repeat(rest + more)}` })
    const [longest, tooLong] = [await seal(named(0), record), await seal(named(1), record)]
    expect([longest.length, tooLong.length]).toStrictEqual([4096, 4097])
    expect(await load(longest, named(0))).toEqual(record)
    expect(await load(tooLong, named(1))).toBeUndefined()
    expect(await load(await seal(store, { ...RECORD, state: 's'.repeat(5000) }))).toBeUndefined()
  })

  test('reveals nothing of its content, and differs each time', async () => {
    const [one, two] = [await seal(), await seal()]
    expect(one).not.toBe(two)
    const clear = Buffer.from(one.slice(NAME.length + 1), 'base64url').toString('latin1')
    for (const value of [RECORD.id, '/inbox', String(RECORD.user)]) expect(clear).not.toContain(value)
  })

  test('is refused with any bit flipped', async () => {
    const sealed = await seal()
    const start = NAME.length + 1
    const accepted: string[] = []
    for (let index = start; index < sealed.length; index += 1) {
      for (let bit = 0; bit < 8; bit += 1) {
        const flipped = String.fromCharCode(sealed.charCodeAt(index) ^ (1 << bit))
        const changed = sealed.slice(0, index) + flipped + sealed.slice(index + 1)
        if (await load(changed)) accepted.push(`bit ${bit} of character ${index - start}`)
      }
    }
    expect(accepted).toStrictEqual([])
  })

  test('is refused truncated at any length, at either end', async () => {
    const sealed = await seal()
    const value = sealed.slice(NAME.length + 1)
    for (let length = 0; length < value.length; length += 1) {
      expect(await load(`${NAME}=${value.slice(0, length)}`)).toBeUndefined()
      expect(await load(`${NAME}=${value.slice(value.length - length)}`)).toBeUndefined()
    }
  })

  test(`is refused in each of ${MUTATIONS} generated mutations`, async () => {
    const sealed = (await seal()).slice(NAME.length + 1)
    const other = (await seal(store, { ...RECORD, strategyDigest: 'provider B' })).slice(NAME.length + 1)
    await fc.assert(
      fc.asyncProperty(mutationOf(sealed, other), async (changed) => {
        fc.pre(changed !== sealed && changed !== other)
        expect(await load(`${NAME}=${changed}`)).toBeUndefined()
      }),
      { numRuns: MUTATIONS },
    )
  })

  /** A text as it would be sealed with this key, for a cookie of this name. */
  function sealText(text: string, name = NAME): string {
    const key = new Uint8Array(hkdfSync('sha256', KEY, '', `passport-social-login pending login ${NAME}`, 32))
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name))
    return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64url')
  }

  test.each(['{}', 'null', '[]', '"text"', '{"id":7}', 'no JSON'])(
    'is none if it holds %s, although it was sealed',
    async (content) => {
      expect(await load(`${NAME}=${sealText(JSON.stringify(RECORD))}`)).toEqual(RECORD)
      expect(await load(`${NAME}=${sealText(content)}`)).toBeUndefined()
    },
  )

  test('is refused if it was sealed for a cookie of another name', async () => {
    expect(await load(`${NAME}=${sealText(JSON.stringify(RECORD), '__Host-other')}`)).toBeUndefined()
  })

  // Browsers take the prefix of such a name for no prefix, so that a sister subdomain can set it.
  test.each(['\u00a0', '\u2003', '\u000b', '\u000c', '\ufeff'])(
    'is not read behind the white space %j',
    async (space) => {
      const sealed = await seal()
      expect(await load(`other=1;${space}${sealed}`)).toBeUndefined()
      expect(await load(`other=1; \t${sealed}`)).toEqual(RECORD)
    },
  )

  test('is the only one that decides: a plain cookie of that name, which anybody can plant, is not tried after it', async () => {
    const store = new CookieStore({ keys: [KEY] }).forCallback('http://localhost:3000/callback')
    const planted = await seal(new CookieStore({ keys: [KEY], allowInsecureHTTP: true }))
    expect(await load(planted, store)).toEqual(RECORD)
    expect(await load(`${NAME}=cannot-be-opened; ${planted}`, store)).toBeUndefined()
    expect(await load(`${planted}; ${NAME}=cannot-be-opened`, store)).toBeUndefined()
  })

  test('has no twin without Secure beyond this machine', async () => {
    for (const [url, cookies] of [
      ['http://app.example/callback', 1],
      ['http://localhost/callback', 2],
    ] as const) {
      const { req, cookies: set } = exchange('')
      await new CookieStore({ keys: [KEY] }).forCallback(url).save(req, RECORD)
      expect(set()).toHaveLength(cookies)
    }
  })

  test('is refused under another key, and under the key of another cookie’s name', async () => {
    expect(await load(await seal(), new CookieStore({ keys: ['x'.repeat(32)] }))).toBeUndefined()
    const other = new CookieStore({ keys: [KEY], name: 'other-login' })
    const moved = (await seal()).replace(NAME, '__Host-other-login')
    expect(await load(moved, other)).toBeUndefined()
    expect(await load(await seal(other), other)).toEqual(RECORD)
  })

  test('can be opened by every process if a new key is appended first, and moved to the front later', async () => {
    const [older, newer] = [randomBytes(32), 'b'.repeat(32)]
    const [before, behind, inFront, after] = [[older], [older, newer], [newer, older], [newer]].map(
      (keys) => new CookieStore({ keys }),
    )
    // A new key in front at once: a process with the old configuration cannot open it.
    expect(await load(await seal(inFront), before)).toBeUndefined()
    for (const [one, other] of [
      [before, behind],
      [behind, inFront],
      [inFront, after],
    ]) {
      expect(await load(await seal(one), other)).toEqual(RECORD)
      expect(await load(await seal(other), one)).toEqual(RECORD)
    }
  })

  test.each(['', 'a=b', `x${NAME}=y`])('is none where its cookie is not: %j', async (header) => {
    expect(await new SealedCookie({ keys: [KEY] }).open(header)).toBeUndefined()
  })

  test('is refused with a second cookie of its name, whichever comes first', async () => {
    const [one, two] = [await seal(), await seal()]
    for (const cookies of [`${one}; ${two}`, `${one}; ${one}`, `${one}; ${NAME}=`, `${NAME}=planted; ${one}`]) {
      expect(await load(cookies)).toBeUndefined()
    }
  })
})

/** Characters of the sealed text replaced, removed, added or swapped; parts of two sealed texts mixed; other texts. */
function mutationOf(sealed: string, other: string): fc.Arbitrary<string> {
  const place = fc.nat(sealed.length - 1)
  const text = fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 8 })
  const token = fc.stringMatching(/^[\w-]{0,40}$/)
  return fc.oneof(
    fc.tuple(place, text).map(([at, added]) => sealed.slice(0, at) + added + sealed.slice(at + added.length)),
    fc.tuple(place, text).map(([at, added]) => sealed.slice(0, at) + added + sealed.slice(at)),
    fc
      .tuple(place, fc.integer({ min: 1, max: 40 }))
      .map(([at, count]) => sealed.slice(0, at) + sealed.slice(at + count)),
    fc.tuple(place, place).map(([a, b]) => sealed.slice(Math.min(a, b)) + sealed.slice(0, Math.min(a, b))),
    // Nonce, content and tag of one, and the rest of the other.
    place.map((at) => sealed.slice(0, at) + other.slice(at)),
    fc.tuple(place, token).map(([at, value]) => sealed.slice(0, at) + value + sealed.slice(at + value.length)),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
    token,
    text,
  )
}

describe('the cookie', () => {
  async function saved(options: Partial<CookieStoreOptions> = {}, record = RECORD): Promise<[SetCookie, string]> {
    const { req, cookies } = exchange()
    await new CookieStore({ keys: [KEY], ...options }).save(req, record)
    const [line = ''] = cookies()
    return [readCookie(line), line]
  }

  test.each<[string, Partial<CookieStoreOptions>, string, boolean]>([
    ['is __Host- and Secure', {}, NAME, true],
    ['under allowInsecureHTTP loses Secure and the prefix', { allowInsecureHTTP: true }, 'social-login', false],
    ['under hostPrefix: false loses the prefix, and stays Secure', { hostPrefix: false }, 'social-login', true],
  ])('%s, and is HttpOnly, SameSite=Lax, and of the whole host for as long as a login is kept', async (...row) => {
    const [, options, name, isSecure] = row
    const [, line] = await saved(options)
    expect(line.replace(/=[\w-]+;/, ';')).toBe(
      `${name}; Max-Age=660; Path=/; HttpOnly;${isSecure ? ' Secure;' : ''} SameSite=Lax`,
    )
  })

  test('stays below 4,096 bytes with the longest possible returnTo and state', async () => {
    const longest = newPendingLogin({
      strategyDigest: RECORD.strategyDigest.padEnd(43, 'x'),
      user: 'u'.repeat(10_000),
      tabSecret: 'f'.repeat(32),
      returnTo: `/${'a'.repeat(1023)}`,
      state: 's'.repeat(1022),
    })
    expect(longest.returnTo).toHaveLength(1024)
    const [, line] = await saved({ name: 'n'.repeat(64) }, longest)
    expect(line.length).toBeLessThan(4096)
    const cookie = nameAndValue(line)
    expect((await load(cookie, new CookieStore({ keys: [KEY], name: 'n'.repeat(64) })))?.state).toBe(longest.state)
  })

  test('is deleted with the same attributes when the record is consumed', async () => {
    const { req, cookies } = exchange(await seal())
    await store.consume(req, RECORD)
    const { name, value, path, secure, maxAge } = readCookie(cookies()[0])
    expect({ name, value, path, secure, maxAge }).toEqual({ name: NAME, value: '', path: '/', secure: true, maxAge: 0 })
  })

  test('keeps other cookies of the response, and sets each of its own once', async () => {
    const { req, cookies } = exchange()
    req.res.setHeader('Set-Cookie', ['cart=1; Path=/', '__Host-social-login-2=x', 'a=b'])
    await store.save(req, RECORD)
    await store.consume(req, RECORD)
    expect(cookies().slice(0, 3)).toStrictEqual(['cart=1; Path=/', '__Host-social-login-2=x', 'a=b'])
    expect(cookies()).toHaveLength(4)
    const alone = exchange()
    alone.req.res.setHeader('Set-Cookie', 'cart=1')
    await store.save(alone.req, RECORD)
    expect(alone.cookies()[0]).toBe('cart=1')
  })

  test('needs a response, and names req.res', async () => {
    for (const more of [
      {},
      { res: null },
      { res: 'x' },
      { res: { setHeader: () => {} } },
      { res: { getHeader: () => {} } },
    ]) {
      const bare = Object.assign(new IncomingMessage(new Socket()), more)
      const work: ['start' | 'callback', () => unknown][] = [
        ['start', () => store.save(bare, RECORD)],
        ['callback', () => store.consume(bare, RECORD)],
      ]
      for (const [phase, use] of work) {
        const error = await rejectionOf((async () => use())())
        expect(error).toMatchObject({ code: 'session_unavailable', status: 503, phase })
        expect(error).toMatchObject({ message: expect.stringMatching(/CookieStore needs req\.res/) })
      }
      expect(await store.load(bare)).toBeUndefined()
    }
  })
})

describe('a missing cookie may have been dropped as Secure, by a browser that kept none by plain http', () => {
  test.each<[string, string | undefined, object, object | null, boolean]>([
    ['the scheme is unknown, and the request came by plain http', '/callback', {}, {}, true],
    ['no callback is known', undefined, {}, {}, true],
    ['the callback is at https', 'https://app.example/callback', {}, {}, false],
    ['a proxy tells the scheme', '/callback', { 'x-forwarded-proto': 'https' }, {}, false],
    ['a proxy says where the request came from', '/callback', { forwarded: 'proto=https' }, {}, false],
    ['the request came by TLS', '/callback', {}, { encrypted: true }, false],
    ['the request has no socket', '/callback', {}, null, true],
  ])('%s', (_title, callbackURL, headers, socket, isTold) => {
    const { req } = exchange()
    Object.assign(req.headers, headers)
    Object.assign(req, { socket })
    const explained = new CookieStore({ keys: [KEY] }).forCallback(callbackURL).explain(req)
    expect(explained).toMatch(/^The browser sent no cookie at all/)
    expect(explained.includes('Safari and some test agents keep no such cookie')).toBe(isTold)
  })

  test('the store belongs to no strategy', () => {
    expect(store.explain(exchange().req)).toContain('Safari and some test agents keep no such cookie')
  })
})

function readCookie(line = ''): SetCookie {
  const cookie = parseSetCookie(line)
  if (!cookie) throw new Error('no cookie')
  return cookie
}

describe('the cookies of a login', () => {
  test.each([
    ['https://app.example/cb', {}, 1],
    ['http://localhost:3000/cb', {}, 2],
    ['http://localhost:3000/cb', { allowInsecureHTTP: true }, 1],
  ])('of %s with %j are %d', async (callbackURL, options, count) => {
    const cookies = new LoginCookies({ keys: [KEY], ...options }, callbackURL)
    expect(await cookies.start(RECORD)).toHaveLength(count)
    expect(cookies.end()).toHaveLength(count)
  })

  test.each([
    ['', /^The browser sent no cookie at all, [^.]*\.$/],
    ['a=b', /^The browser sent cookies, but not that of the login: it is over [^.]*\.$/],
    [`a=b; ${NAME}=planted`, /^The cookie of the login came, but cannot be opened: [^.]*\.$/],
  ])('that brought no login are explained by what came, which is %j', (header, explained) => {
    expect(new LoginCookies({ keys: [KEY] }).explain(header, 'app.example', false)).toMatch(explained)
  })

  test.each([
    ['https://app.example/cb', true, true],
    ['https://app.example/cb', false, false],
    ['http://localhost:3000/cb', true, false],
  ])(
    'of %s that are missing, by plain http: %s, may have been dropped as Secure: %s',
    (callbackURL, isPlain, isTold) => {
      const explained = new LoginCookies({ keys: [KEY] }, callbackURL).explain('', 'localhost:3000', isPlain)
      expect(explained.includes('It is Secure')).toBe(isTold)
    },
  )
})
