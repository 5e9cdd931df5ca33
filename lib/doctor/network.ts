import type { TLSSocket } from 'node:tls'
import type { Examination } from './examination'
import type { FindingCode } from './findings'
import { ProbeError } from './probe'
import { count } from './text'

const DAY_MS = 86_400_000
const FEW_DAYS = 14

/** Examines the certificate and the protocol, where there is TLS. @returns whether a login can get through */
export async function checkTLS(url: URL, examination: Examination): Promise<boolean> {
  if (url.protocol !== 'https:') return true
  examination.progress('Looking at the certificate')
  const { protocol, prefersHTTP2, certificateError, daysLeft } = await examination.probe.shakeHands(url, readHandshake)
  const speaksHTTP1 = !prefersHTTP2 || (await examination.probe.speaksHTTP1(url))
  if (certificateError !== undefined) examination.broken(...certificateProblem(certificateError, daysLeft))
  else if (daysLeft < FEW_DAYS)
    examination.differs(
      'certificate_ends_soon',
      `Valid, but for ${count(daysLeft, 'more day')} only: see that it is renewed.`,
    )
  else examination.good('certificate_good', `Valid for ${count(daysLeft, 'more day')} (${protocol}).`)
  if (!speaksHTTP1)
    examination.broken(
      'http2_only',
      'The provider speaks HTTP/2 alone, and this package HTTP/1.1: no login is possible until it offers HTTP/1.1, too.',
    )
  return certificateError === undefined && speaksHTTP1
}

/** Explains a failed request by its error, and by a handshake where that shows more. */
export async function explainFailure(error: ProbeError, url: URL, examination: Examination): Promise<void> {
  try {
    if (await checkTLS(url, examination)) examination.broken('provider_unreachable', error.message)
  } catch (failure) {
    examination.broken('provider_unreachable', ProbeError.caught(failure).message)
  }
}

const CERTIFICATE_PROBLEMS: Readonly<Record<string, readonly [FindingCode, string]>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'certificate_other_host',
    'The certificate is for another host name: use the name that it is for (with or without www?).',
  ],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'certificate_chain',
    'The certificate is not trusted: its chain is incomplete (the provider must send the intermediate certificates, which browsers find by themselves), or a private CA issued it (set NODE_EXTRA_CA_CERTS).',
  ],
}

function certificateProblem(code: string, daysLeft: number): readonly [FindingCode, string] {
  if (code === 'CERT_HAS_EXPIRED') {
    const age = count(Math.max(1, -daysLeft), 'day')
    return ['certificate_expired', `The certificate expired ${age} ago: no login is possible until it is renewed.`]
  }
  const untrusted =
    'The certificate is not trusted: it is self-signed, or a private CA issued it. For a CA of your own set NODE_EXTRA_CA_CERTS.'
  return CERTIFICATE_PROBLEMS[code] ?? ['certificate_untrusted', untrusted]
}

function readHandshake(socket: TLSSocket) {
  const { authorized, authorizationError, alpnProtocol } = socket
  return {
    protocol: (socket.getProtocol() ?? '').replace('v', ' '),
    prefersHTTP2: alpnProtocol === 'h2',
    /** Node's code for a certificate that is not accepted. */
    certificateError: authorized ? undefined : String(authorizationError),
    /** Until the certificate expires; negative if it has. */
    daysLeft: Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS),
  }
}
