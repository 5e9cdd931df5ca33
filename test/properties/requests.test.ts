import express from 'express'
import fc from 'fast-check'
import type { OriginPolicy } from '../../lib/login/request/description'
import { classifyRequest, type Headers, hostOnlyPolicy, incoming, policy, verdictOf } from '../support/incoming'
import { runs } from '../support/runs'

const KEY = 'key-canary-0a1b'
const parsers = ['simple', 'extended'].map((kind): ((text: string) => unknown) => {
  const parse: unknown = express().set('query parser', kind).get('query parser fn')
  return (text) => (typeof parse === 'function' ? parse(text) : undefined)
})

const piece = fc.constantFrom(
  ...[
    'auth_key',
    'auth%5Fkey',
    'auth_key[]',
    'auth_key[a]',
    'auth_key%5B%5D',
    'AUTH_KEY',
    'amp;auth_key',
    'state',
    'error',
  ],
  ...[
    '=',
    '=',
    '=',
    '&',
    '&',
    '?',
    '?auth_key=',
    '#',
    ';',
    '+',
    '%',
    '%00',
    '%20',
    '%26',
    '%3D',
    '%ff',
    '%0d%0a',
    '[',
    ']',
  ],
  ...[KEY, 'a', '1', '', 'x'.repeat(512), 'x'.repeat(513), 'é', '\u0000', '__proto__', 'constructor[prototype]'],
)
const query = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.array(fc.tuple(piece, piece), { maxLength: 4 }).map((pairs) => pairs.map((pair) => pair.join('=')).join('&')),
  fc.string({ unit: 'binary-ascii', maxLength: 30 }),
)
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT')

/** A byte-wise parser for queries, independent of URLSearchParams, to which a plus is a plus. */
function pairsOf(text: string): [string, string][] {
  const decode = (part: string): string => {
    const bytes: number[] = []
    for (let at = 0; at < part.length; at += 1) {
      const hex = /^%[0-9a-f]{2}/i.exec(part.slice(at, at + 3))
      if (hex) {
        bytes.push(Number.parseInt(hex[0].slice(1), 16))
        at += 2
      } else bytes.push(...Buffer.from(part.charAt(at)))
    }
    return Buffer.from(bytes).toString('utf8')
  }
  return text
    .split('&')
    .filter(Boolean)
    .map((part) => {
      const [name = '', ...rest] = part.split('=')
      return [decode(name), decode(rest.join('='))]
    })
}

/** What a callback is, for the query alone. */
function expectedOf(text: string, by: string): string {
  if (by !== 'GET') return 'method_not_allowed'
  const pairs = pairsOf(text.replace(/#.*$/s, '').replace(/[\t\r\n]/g, ''))
  const hidden = pairs.some(
    ([name, value]) => value.includes('?auth_key=') || name === 'amp;auth_key' || name.startsWith('auth_key['),
  )
  if (hidden) return 'auth_key_malformed'
  const keys = pairs.filter(([name]) => name === 'auth_key').map(([, value]) => value)
  if (keys.length === 0 || (keys.length === 1 && keys[0] === '')) return 'auth_key_missing'
  return keys.length === 1 && /^[!-~]{1,512}$/.test(keys[0] ?? '') ? `callback ${keys[0]}` : 'auth_key_malformed'
}

const queries = runs(20_000, 500_000)
test(`${queries.numRuns} callback queries (seed ${queries.seed}) are read as the table says, by either parser`, () => {
  fc.assert(
    fc.property(query, method, fc.constantFrom(...parsers), (text, by, parse) => {
      const more = { method: by, query: parse(text) }
      // Node's parser allows neither bytes beyond Latin-1 nor control characters in a URL.
      const target = `/auth/callback?${text.replace(/[^!-~]/g, (character) => encodeURIComponent(character))}`
      const read = verdictOf(classifyRequest(incoming(target, {}, more), policy))
      expect(read).toBe(expectedOf(target.slice('/auth/callback?'.length), by))
    }),
    queries,
  )
}, 1_200_000)

const sites = [undefined, 'none', 'same-origin', 'same-site', 'cross-site', 'bogus']
const modes = [undefined, 'navigate', 'no-cors', 'cors', 'websocket']
const dests = [undefined, 'document', 'iframe', 'image', 'empty', 'object']
const referers = [
  undefined,
  '',
  'https://social.example/',
  'https://app.example/x',
  'https://www.app.example/',
  'https://evil.example/',
  'about:blank',
]
const purposes = [undefined, 'prefetch', 'prefetch;prerender']
const accepts = [undefined, 'text/html,*/*;q=0.8', '*/*']
/** The provider's site relative to the application's, and the application's trust settings. */
const levels: Readonly<Record<string, OriginPolicy>> = {
  'another site': policy,
  'a sister host': { ...policy, providerOrigin: 'https://login.app.example', unverifiedStart: 'refuse' },
  'the own origin': { ...policy, providerOrigin: 'https://app.example', unverifiedStart: 'allow' },
  'known by Host only': hostOnlyPolicy,
}

interface Cell {
  readonly site: string | undefined
  readonly mode: string | undefined
  readonly dest: string | undefined
  readonly referer: string | undefined
  readonly purpose: string | undefined
  readonly accept: string | undefined
}

const saysNavigation = ({ mode, dest }: Cell): boolean => mode === 'navigate' && dest === 'document'

const isPage = (cell: Cell): boolean => (cell.site === undefined ? cell.accept !== '*/*' : saysNavigation(cell))

const isSpeculative = (cell: Cell): boolean =>
  cell.purpose !== undefined || (saysNavigation(cell) && cell.accept === '*/*')

const isFetch = ({ site, mode, dest }: Cell): boolean =>
  site !== undefined && dest === 'empty' && (mode === 'cors' || mode === 'no-cors')

/** Section 2 as a list of what is allowed; whatever is not listed is refused. */
function callbackVerdict(level: string, cell: Cell): string {
  const { site, referer } = cell
  if (isSpeculative(cell)) return 'speculative_request'
  const welcome = ['https://app.example/x', 'https://www.app.example/', '', undefined]
  if (level === 'another site' || level === 'known by Host only') welcome.push('https://social.example/')
  const way: Readonly<Record<string, readonly (string | undefined)[]>> = {
    'another site': [undefined, 'cross-site', 'none'],
    'known by Host only': [undefined, 'cross-site', 'none'],
    'a sister host': [undefined, 'cross-site', 'same-site', 'none'],
    'the own origin': [undefined, 'cross-site', 'same-site', 'same-origin', 'none'],
  }
  return isPage(cell) && way[level]?.includes(site) && welcome.includes(referer) ? 'callback K' : 'callback_forged'
}

function startVerdict(level: string, cell: Cell): string {
  const { site, referer } = cell
  if (isSpeculative(cell)) return 'speculative_request'
  if (isFetch(cell)) return 'navigation_required'
  if (!isPage(cell)) return 'start_forbidden'
  const ownPage = site === 'same-origin' || (site === undefined && referer === 'https://app.example/x')
  if (ownPage || referer === 'https://www.app.example/') return 'start verified'
  if (level === 'the own origin') return 'start verified' // by unverifiedStart: 'allow'
  return level === 'a sister host' ? 'start_forbidden' : 'start unverified'
}

test.each(Object.keys(levels))(
  'every combination of the headers is judged as the table says (provider: %s)',
  (level) => {
    const given = levels[level] ?? policy
    const wrong: unknown[] = []
    let count = 0
    for (const site of sites)
      for (const mode of modes)
        for (const dest of dests)
          for (const referer of referers)
            for (const purpose of purposes)
              for (const accept of accepts) {
                const cell = { site, mode, dest, referer, purpose, accept }
                const headers: Headers = JSON.parse(
                  JSON.stringify({
                    'sec-fetch-site': site,
                    'sec-fetch-mode': mode,
                    'sec-fetch-dest': dest,
                    referer,
                    'sec-purpose': purpose,
                    accept,
                  }),
                )
                const callback = verdictOf(classifyRequest(incoming('/auth/callback?auth_key=K', headers), given))
                const start = verdictOf(classifyRequest(incoming('/login', headers), given))
                count += 1
                if (callback !== callbackVerdict(level, cell)) wrong.push({ ...cell, callback })
                if (start !== startVerdict(level, cell)) wrong.push({ ...cell, start })
              }
    expect(count).toBe(11_340)
    expect(wrong).toStrictEqual([])
  },
)
