import type { IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { MAX_BODY_BYTES } from '../../limits'

// The codings that IANA has registered (RFC 9110, section 16.6), but for `identity`. Servers also send words that are
// none, such as `none` or `UTF-8`, with plain text, which browsers, curl and fetch read.
const CODINGS: ReadonlySet<string> = new Set(
  'aes128gcm br compress dcb dcz deflate exi gzip pack200-gzip x-compress x-gzip zstd'.split(' '),
)

// Some servers, and what is in front of them, compress what no one has asked for.
const READERS: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

// JSON, a page, or white space before them, perhaps behind a byte order mark of UTF-8.
const PLAIN = /^(?:\xef\xbb\xbf)?[[{<\s]/

/** The registered codings that a response says it has. */
export function codingsOf(headers: IncomingHttpHeaders): string[] {
  // Several headers come as an array, and none as undefined, which is the name of no coding.
  const names = String(headers['content-encoding']).toLowerCase().split(',')
  return names.map((name) => name.trim()).filter((name) => CODINGS.has(name))
}

function decodeBy(body: Buffer, read: typeof gunzipSync | undefined): Buffer {
  if (!read) throw new TypeError('a coding that is not read')
  return read(body, { maxOutputLength: MAX_BODY_BYTES })
}

/**
 * A body without its coding, or its two codings, also gzip that no header tells of (it begins with 1f 8b, as no JSON
 * does). It takes at most `MAX_BODY_BYTES` of memory, whatever it would become. What is plain, although a header says
 * otherwise, is left as it is.
 */
export function decompress(body: Buffer, headers: IncomingHttpHeaders): Buffer | 'unknown' | 'too large' {
  const named = codingsOf(headers)
  const isGzip = body[0] === 0x1f && body[1] === 0x8b
  const codings = named.length === 0 && isGzip ? ['gzip'] : named
  if (codings.length === 0 || body.length === 0) return body
  try {
    // A server and a proxy may each have compressed it. More than two would only cost memory and time.
    if (codings.length <= 2) return codings.map((coding) => READERS[coding]).reduceRight(decodeBy, body)
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE') return 'too large'
  }
  return PLAIN.test(body.toString('latin1')) ? body : 'unknown'
}
