import { parseJSON } from '../../lib/client/response/json'
import { toProfile } from '../../lib/client/response/profile'
import { parseUser } from '../../lib/client/response/user'
import { classifyRequest, fromProvider, type Headers, hostOnlyPolicy, incoming, verdictOf } from '../support/incoming'
import { newPendingLogin } from '../support/pending-login'

/** A host of 15 KB, which takes `new URL()` longer than a server takes for a whole request. */
const HOST = encodeURIComponent('\u5bbd'.repeat(1700))
const LONGEST_NAME = 255
const RealURL = globalThis.URL

afterEach(() => {
  globalThis.URL = RealURL
})

/** The longest host passed to a URL parser while the work runs. */
function longestHostIn(work: () => unknown): number {
  let longest = 0
  globalThis.URL = class extends RealURL {
    constructor(url: string | URL, base?: string | URL) {
      const [, host = ''] = /^(?:[^/?#\\]*:)?[/\\]{2}([^/?#\\]*)/.exec(String(url).trim()) ?? []
      longest = Math.max(longest, host.length)
      super(url, base)
    }
  }
  work()
  return longest
}

test('a naive program passes the whole host to the parser', () => {
  expect(longestHostIn(() => new URL(`https://${HOST}/`))).toBe(HOST.length)
})

const key = '/auth/callback?auth_key=K'

test.each<[title: string, url: string, headers: Headers, verdict: string]>([
  ['the Referer of a start', '/login', { referer: `https://${HOST}/` }, 'start unverified'],
  ['the Origin of a start', '/login', { origin: `https://${HOST}` }, 'start unverified'],
  ['the Host of a start', '/login', { host: HOST, referer: 'https://app.example/' }, 'start unverified'],
  ['the absolute form of a start', `http://${HOST.slice(0, 4000)}/login`, {}, 'start unverified'],
  ['the absolute form of a callback', `http://${HOST.slice(0, 3900)}${key}`, {}, 'callback K'],
  ['the Referer of a callback', key, { ...fromProvider, referer: `https://${HOST}/` }, 'callback_forged'],
  ['the Host of a callback', key, { ...fromProvider, host: HOST, 'sec-fetch-site': 'same-site' }, 'callback_forged'],
])('%s is not parsed with its host', (_title, url, headers, verdict) => {
  let read = ''
  const work = () => {
    read = verdictOf(classifyRequest(incoming(url, headers), hostOnlyPolicy))
  }
  expect(longestHostIn(work)).toBeLessThanOrEqual(LONGEST_NAME)
  expect(read).toBe(verdict)
})

test.each([`//${HOST.slice(0, 1000)}`, `/\\${HOST.slice(0, 1000)}`, `/\t/${HOST.slice(0, 1000)}`])(
  'the returnTo %.6s... is not parsed with its host',
  (returnTo) => {
    const work = () => {
      const record = newPendingLogin({ returnTo })
      expect(record).not.toHaveProperty('returnTo')
    }
    expect(longestHostIn(work)).toBeLessThanOrEqual(LONGEST_NAME)
  },
)

const hosts = [HOST, '\u5bbd'.repeat(1000), '\u5bbd'.repeat(20_000)]
const shapes = [
  'https://HOST/a.jpg',
  'https:HOST',
  'https:\\\\HOST/a.jpg',
  '//HOST/a.jpg',
  '\t//HOST/a.jpg',
  'x://HOST/a',
]

test.each(hosts.flatMap((host) => shapes.map((shape) => shape.replace('HOST', host))))(
  'the picture %.12s... is left out, and not parsed with its host',
  (picture) => {
    const record = { user_id: '1', user_picture: picture, user_cover: picture, profile_picture: picture }
    const text = JSON.stringify(record)
    const work = () => {
      const profile = toProfile(parseUser(parseJSON(text), text), { uploadsURL: 'https://social.example/uploads/' })
      expect(profile).not.toHaveProperty('photos')
      expect(profile).not.toHaveProperty('coverPhoto')
    }
    expect(longestHostIn(work)).toBeLessThanOrEqual(LONGEST_NAME)
  },
)

test('a path of slashes followed by another character is compared in linear time', () => {
  const read = verdictOf(classifyRequest(incoming(`${'/'.repeat(4000)}x`), hostOnlyPolicy))
  expect(read).toBe('start unverified')
  expect(verdictOf(classifyRequest(incoming('/Auth/Callback//?auth_key=K'), hostOnlyPolicy))).toBe('callback K')
})
