import { randomBytes } from 'node:crypto'
import { MAX_RETURN_PATH_LENGTH, MAX_STATE_BYTES } from '../../limits'
import type { PendingLogin } from '../../login/pending-login/pending-login'

type Optional = Pick<PendingLogin, 'returnTo' | 'state' | 'tab'>

/** A record as a start creates it. */
export function newRecord(optional: Optional = {}): PendingLogin {
  return {
    id: randomText(16),
    strategyDigest: randomText(32),
    issuedAt: Date.now(),
    user: randomText(32),
    startSite: 'same-origin',
    ...optional,
  }
}

/** Records with every kind of content that a start can give them. */
export function allKinds(): PendingLogin[] {
  const others = [null, false, 0, '', [[]], { big: 2 ** 60, small: 5e-324 }].map((state) => newRecord({ state }))
  return [newRecord(), { ...newRecord(), user: null, startSite: null }, largest(), ...others]
}

/** With the longest `returnTo` and `state`, of characters that databases and encodings are known to change. */
function largest(): PendingLogin {
  const odd: Record<string, string> = JSON.parse('{"__proto__":"1","constructor":"2","":"3"," é 🦊 ":"e\\u0301 é"}')
  odd['unusual'] = '\u0000 \u2028 \u00a0 \ud800 \r\n \\ "\' ; , %41 + </script>'
  odd['rest'] = ''
  odd['rest'] = 'x'.repeat(MAX_STATE_BYTES - Buffer.byteLength(JSON.stringify(odd)))
  return newRecord({ state: odd, returnTo: `/${'a'.repeat(MAX_RETURN_PATH_LENGTH - 1)}`, tab: randomText(32) })
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
