import type { Ending } from './connection'
import { brokenLine, cookieLines, fetchMetadata, hostLine, otherLines } from './headers'
import { Random } from './random'
import { target } from './targets'
import { address, nastyValue } from './values'

/** A request as bytes (one per character), with placeholders. */
export interface RawRequest {
  readonly text: string
  /** Whether its framing is valid, so that the server must answer or close. */
  readonly isFramed: boolean
}

const MOST_REQUESTS = 12

/** The requests of one connection. */
export interface Part {
  readonly requests: readonly RawRequest[]
  readonly ending: Ending
  /** Where the bytes are split into two packets, as a fraction. */
  readonly cut: number | undefined
}

/** Depends only on the seed and the number of the part. */
export function partOf(seed: number, part: number): Part {
  const random = new Random(Random.partSeed(seed, part))
  const requests: RawRequest[] = []
  const most = 1 + random.below(MOST_REQUESTS)
  while (requests.length < most && requests.at(-1)?.isFramed !== false) requests.push(rawRequest(random))
  const ending = random.chance(0.05) ? random.pick<Ending>(['half-close', 'early-close']) : 'answered'
  return { requests, ending, cut: random.chance(0.1) ? random.next() : undefined }
}

const METHODS = ['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND', 'M-SEARCH', 'PURGE'] as const
const BROKEN_METHODS = ['CONNECT', 'get', 'GETT', '', 'G\0T', 'PRI', 'X'.repeat(300), '\x16\x03\x01'] as const
const CONTENT_TYPES = [
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=utf-7',
  'application/x-www-form-urlencoded; charset=',
  'application/json',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/plain',
  '/',
] as const

/** One request from a seed's choices. */
export function rawRequest(random: Random): RawRequest {
  const isBroken = random.chance(0.06)
  const method = isBroken && random.chance(0.3) ? random.pick(BROKEN_METHODS) : methodOf(random)
  const version =
    isBroken && random.chance(0.2) ? random.pick(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'X', '']) : 'HTTP/1.1'
  const lines = [hostLine(random), ...fetchMetadata(random), ...cookieLines(random), ...otherLines(random)]
  // Otherwise an address reaches its ten rejected keys at once, and no further callback is processed.
  if (random.chance(0.7))
    lines.push(`X-Forwarded-For: ${random.chance(0.9) ? ordinaryAddress(random) : address(random)}`)
  if (isBroken && random.chance(0.5)) lines.splice(random.below(lines.length + 1), 0, brokenLine(random))
  if (random.chance(0.05)) lines.push(lines[random.below(lines.length)] ?? '')
  const framing = framed(random, method, isBroken)
  // Node itself refuses most characters beyond visible ASCII and closes, which would waste the rest of the connection.
  const path = isBroken ? target(random) : target(random).replace(/[^\x21-\x7e]/g, percentEncoded) || '/'
  const head = [`${method} ${path} ${version}`, ...lines, ...framing.lines, '', ''].join('\r\n')
  return { text: head + framing.body, isFramed: !isBroken }
}

function ordinaryAddress(random: Random): string {
  return [10, random.below(256), random.below(256), random.below(256)].join('.')
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

function methodOf(random: Random): string {
  if (random.chance(0.6)) return 'GET'
  return random.chance(0.75) ? 'POST' : random.pick(METHODS)
}

interface Framing {
  readonly lines: readonly string[]
  readonly body: string
}

function framed(random: Random, method: string, isBroken: boolean): Framing {
  if (isBroken && random.chance(0.5)) return brokenFraming(random)
  if (method === 'GET' ? random.chance(0.95) : random.chance(0.2)) return { lines: [], body: '' }
  const type = `Content-Type: ${random.chance(0.7) ? CONTENT_TYPES[0] : random.pick(CONTENT_TYPES)}`
  const encoding = random.chance(0.1)
    ? [`Content-Encoding: ${random.pick(['gzip', 'deflate', 'br', 'x', 'identity'])}`]
    : []
  const body = bodyOf(random)
  if (random.chance(0.8)) return { lines: [type, ...encoding, `Content-Length: ${body.length}`], body }
  return { lines: [type, ...encoding, 'Transfer-Encoding: chunked'], body: chunked(random, body) }
}

function chunked(random: Random, body: string): string {
  const middle = random.below(body.length + 1)
  const chunk = (part: string): string => (part === '' ? '' : `${part.length.toString(16)};x="y"\r\n${part}\r\n`)
  return `${chunk(body.slice(0, middle))}${chunk(body.slice(middle))}0\r\n${random.pick(['', 'X-Trailer: a\r\n'])}\r\n`
}

function bodyOf(random: Random): string {
  return random.choose(
    () => random.pick(['decision=continue', 'decision=cancel', 'returnTo=/profile', 'login=1', 'login=', 'decision']),
    () => `returnTo=${nastyValue(random)}&login=${nastyValue(random)}`,
    () => `decision[]=continue&returnTo[a]=b&__proto__[x]=y&constructor=1`,
    () => '{"decision":"continue","returnTo":{"a":[]}}',
    () => '--x\r\nContent-Disposition: form-data; name="login"\r\n\r\n1\r\n--x--\r\n',
    () => 'a=b&'.repeat(random.below(2000)),
    () => 'x'.repeat(random.below(20_000)),
    () => Array.from({ length: random.below(200) }, () => String.fromCharCode(random.below(256))).join(''),
  )
}

/** A body with missing or wrong framing. */
function brokenFraming(random: Random): Framing {
  const body = bodyOf(random)
  return random.choose<Framing>(
    () => ({ lines: [`Content-Length: ${body.length + 10}`], body }),
    () => ({ lines: [`Content-Length: ${Math.max(0, body.length - 5)}`], body }),
    () => ({ lines: ['Content-Length: 5', 'Content-Length: 6'], body }),
    () => ({
      lines: [`Content-Length: ${random.pick(['-1', 'x', '1e3', '+5', '0x5', '99999999999999999999', ' ', ''])}`],
      body,
    }),
    () => ({ lines: [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'], body }),
    () => ({ lines: ['Transfer-Encoding: chunked'], body }),
    () => ({
      lines: [`Transfer-Encoding: ${random.pick(['identity', 'gzip', 'chunked, gzip', 'x', ' chunked'])}`],
      body,
    }),
    () => ({ lines: ['Transfer-Encoding: chunked'], body: `fffffffffffff\r\n${body}` }),
    () => ({ lines: ['Transfer-Encoding: chunked'], body: chunked(random, body).slice(0, -3) }),
  )
}
