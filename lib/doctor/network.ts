import { once } from 'node:events'
import { connect as connectTCP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTLS, type TLSSocket } from 'node:tls'
import { errorCode } from '../client/http/network-errors'
import type { Examination } from './examination'
import { publicLookup, refusePrivate } from './probe'
import { ProbeError } from './probe-error'
import { count, milliseconds } from './text'

const DAY_MS = 86_400_000
const FEW_DAYS = 14

/** What a handshake tells of a provider. */
interface Handshake {
  readonly protocol: string
  readonly speaksHTTP1: boolean
  /** Node's code for a certificate that is not accepted. */
  readonly certificateError: string | undefined
  /** Days until the certificate expires; negative if it has. */
  readonly daysLeft: number
  /** Milliseconds to open the TCP connection: about one round trip. */
  readonly roundTrip: number
}

/** Where to connect to. */
export interface Target {
  readonly url: URL
  /** Whether a private address is allowed. */
  readonly isTrusted: boolean
  /** Milliseconds for each connection. */
  readonly timeout: number
}

/** Examines the way to the provider: round trip and TLS. */
export async function checkNetwork(target: Target, examination: Examination): Promise<void> {
  examination.progress('Opening connections')
  if (!target.isTrusted) refusePrivate(target.url)
  if (target.url.protocol === 'https:') return void (await checkTLS(target, examination))
  const { socket, roundTrip } = await openTCP(target)
  socket.destroy()
  reportRoundTrip(roundTrip, examination)
}

function reportRoundTrip(roundTrip: number, examination: Examination): void {
  examination.good('Network', `A round trip takes ${milliseconds(roundTrip)}.`)
}

/** @returns whether a login can get through */
async function checkTLS(target: Target, examination: Examination): Promise<boolean> {
  const { protocol, speaksHTTP1, certificateError, daysLeft, roundTrip } = await shakeHands(target)
  reportRoundTrip(roundTrip, examination)
  if (certificateError !== undefined) examination.broken('Certificate', certificateMessage(certificateError, daysLeft))
  else if (daysLeft < FEW_DAYS)
    examination.differs('Certificate', `Valid, but for ${count(daysLeft, 'more day')} only: see that it is renewed.`)
  else examination.good('Certificate', `Valid for ${count(daysLeft, 'more day')} (${protocol}).`)
  if (!speaksHTTP1)
    examination.broken(
      'HTTP',
      'The provider speaks HTTP/2 alone, and this package HTTP/1.1: no login is possible until it offers HTTP/1.1, too.',
    )
  return certificateError === undefined && speaksHTTP1
}

/** Explains a failed request by its error, and by a handshake where that tells more. */
export async function explainFailure(error: ProbeError, target: Target, examination: Examination): Promise<void> {
  if (target.url.protocol === 'https:' && !isBeforeTLS(error)) {
    try {
      if (!(await checkTLS(target, examination))) return
    } catch (failure) {
      return examination.broken('Network', await tlsMessage(ProbeError.caught(failure), target))
    }
  }
  examination.broken('Network', error.message)
}

/** Errors that come before any handshake. */
function isBeforeTLS({ code = '' }: ProbeError): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|PRIVATE_ADDRESS)/.test(code)
}

async function tlsMessage(error: ProbeError, target: Target): Promise<string> {
  const old = await shakeHands(target, {
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  }).catch(() => undefined)
  if (old === undefined) return error.message
  return 'The provider speaks an old version of TLS alone (1.1 or older), which no current program accepts: it needs TLS 1.2.'
}

function certificateMessage(code: string, daysLeft: number): string {
  if (code === 'CERT_HAS_EXPIRED')
    return `The certificate expired ${count(Math.max(1, -daysLeft), 'day')} ago: no login is possible until it is renewed.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'The certificate is for another host name: use the name that it is for (with or without www?).'
  if (code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    return 'The certificate is not trusted: its chain is incomplete (the provider must send the intermediate certificates, which browsers find by themselves), or a private CA issued it (set NODE_EXTRA_CA_CERTS).'
  return 'The certificate is not trusted: it is self-signed, or a private CA issued it. For a CA of your own set NODE_EXTRA_CA_CERTS.'
}

/** Opens a connection. @returns the milliseconds that it took, too */
async function openTCP({ url, isTrusted, timeout }: Target): Promise<{ socket: Socket; roundTrip: number }> {
  const startedAt = performance.now()
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const socket = connectTCP({ host: hostOf(url), port, ...(!isTrusted && { lookup: publicLookup }) })
  await happens(socket, 'connect', timeout)
  return { socket, roundTrip: performance.now() - startedAt }
}

/** A handshake, after which nothing is sent: so the certificate need not be trusted to be examined. */
async function shakeHands(target: Target, old: ConnectionOptions = {}): Promise<Handshake> {
  const { socket, roundTrip } = await openTCP(target)
  const host = hostOf(target.url)
  const secure = connectTLS({
    socket,
    host,
    // No server name for addresses (RFC 6066, section 3).
    ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
    ALPNProtocols: ['http/1.1', 'h2'],
    rejectUnauthorized: false,
    ...old,
  })
  try {
    await happens(secure, 'secureConnect', target.timeout)
    return { ...certificateOf(secure), roundTrip }
  } finally {
    secure.destroy()
  }
}

/** @throws ProbeError if the event does not come in time */
async function happens(socket: Socket, event: string, timeout: number): Promise<void> {
  const signal = AbortSignal.timeout(timeout)
  // Later errors, of a socket that is not used any more, are nobody's concern.
  socket.on('error', () => {})
  try {
    await once(socket, event, { signal })
  } catch (error) {
    socket.destroy()
    throw signal.aborted ? ProbeError.timeout(timeout) : ProbeError.of(error)
  }
}

function certificateOf(socket: TLSSocket): Omit<Handshake, 'roundTrip'> {
  const { valid_to } = socket.getPeerCertificate()
  return {
    protocol: (socket.getProtocol() ?? '').replace('v', ' '),
    speaksHTTP1: socket.alpnProtocol !== 'h2',
    certificateError: socket.authorized
      ? undefined
      : (errorCode(socket.authorizationError) ?? String(socket.authorizationError)),
    daysLeft: Math.floor((Date.parse(valid_to) - Date.now()) / DAY_MS),
  }
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
