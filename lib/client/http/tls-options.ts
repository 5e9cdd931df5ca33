import { constants } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext, DEFAULT_CIPHERS, DEFAULT_ECDH_CURVE, type SecureContextOptions } from 'node:tls'

// The default groups of OpenSSL without finite fields: for version 3.5, which knows further groups, and for older ones.
const GROUPS = ['DEFAULT:-ffdhe2048:-ffdhe3072', 'X25519:P-256:X448:P-521:P-384']

let supported: Pick<SecureContextOptions, 'ciphers' | 'ecdhCurve'> | undefined

/**
 * Options for the connections to a provider:
 *
 * - No finite-field group is offered. The server chooses its size, and with 8,192 bits or more a handshake takes up to
 *   a second of CPU, before any certificate is checked. What OpenSSL or the operator does not support
 *   (`--tls-cipher-list`) is left as it is.
 * - Renegotiation is refused: a server could repeat the handshake on an open connection without end.
 * - Certificates are always checked: `NODE_TLS_REJECT_UNAUTHORIZED` cannot disable it.
 */
export function tlsOptions(): SecureContextOptions & { readonly rejectUnauthorized: true } {
  supported ??= {
    ciphers: firstSupported('ciphers', [`${DEFAULT_CIPHERS}:!DHE`], DEFAULT_CIPHERS),
    ecdhCurve: firstSupported('ecdhCurve', DEFAULT_ECDH_CURVE === 'auto' ? GROUPS : [], DEFAULT_ECDH_CURVE),
  }
  return { ...supported, secureOptions: constants.SSL_OP_NO_RENEGOTIATION, rejectUnauthorized: true }
}

/** The name that the certificate of a host must have. An address has no server name (RFC 6066, section 3). */
export function serverNameOf(host: string): string {
  return isIP(host) === 0 ? host : ''
}

function firstSupported(option: 'ciphers' | 'ecdhCurve', values: readonly string[], otherwise: string): string {
  return values.find((value) => isSupported({ [option]: value })) ?? otherwise
}

function isSupported(options: SecureContextOptions): boolean {
  try {
    // Authorities are left out, because they take long to load.
    createSecureContext({ ...options, ca: [] })
    return true
  } catch {
    return false
  }
}
