import type { LookupFunction, Socket } from 'node:net'
import { buildConnector, errors } from 'undici/index.js'
import {
  ADDRESS_TIMEOUT_MS,
  CONNECT_RETRIES,
  CONNECT_RETRY_MS,
  MAX_WIRE_BYTES,
  PRECONNECT_INTERVAL_MS,
  SPARE_MAX_AGE_MS,
} from '../../limits'
import { withoutBrackets } from '../url'
import { oneLookupAtATime, systemLookup } from './address'
import { errorCode } from './network-errors'
import { limitTLSMessages } from './tls-messages'
import { tlsOptions } from './tls-options'
import { openTunnel, type TunnelOptions } from './tunnel'

export interface ConnectorOptions {
  /** Milliseconds that a connection may take to open. */
  readonly connectTimeout: number
  /** Looks names up instead of `dns.lookup`. */
  readonly lookup?: LookupFunction | undefined
  /** Set to connect through it. */
  readonly proxy?: URL | undefined
}

export type Connect = ReturnType<typeof buildConnector>

// What connections meet while a server restarts, or while its address or its name moves. ECONNRESET is not among them:
// a server that resets a TLS handshake may have cost us CPU, and would cost as much for each of `CONNECT_RETRIES`.
const TRANSIENT: readonly unknown[] = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']

/**
 * Opens the connections to one provider. A pool alone opens no spare connection while the person is on the provider's
 * page, does not retry while the provider restarts, and does not tell whether a connection closed before the response.
 */
export class Connector {
  readonly #origin: URL
  readonly #connect: Connect
  readonly #retryTime: number
  /** For the error of a connection, whether anything was received after the last request was written to it. */
  readonly #hadAnswered = new WeakMap<Error, boolean>()
  #spare: SpareConnection | undefined
  #nextPreconnectAt = 0
  #isClosed = false

  constructor(origin: string, { connectTimeout: timeout, lookup: given = systemLookup, proxy }: ConnectorOptions) {
    this.#origin = new URL(origin)
    this.#retryTime = Math.min(CONNECT_RETRY_MS, timeout / 3)
    const lookup = oneLookupAtATime(given)
    const connectDirectly = buildConnector({
      timeout,
      lookup,
      // A quarter of the timeout leaves time for further addresses.
      autoSelectFamilyAttemptTimeout: Math.ceil(Math.min(ADDRESS_TIMEOUT_MS, timeout / 4)),
      ...tlsOptions(),
    })
    const connect = proxy ? connectThrough({ proxy, timeout, lookup }, connectDirectly) : connectDirectly
    this.#connect = (options, callback) =>
      connect(options, (...result) => {
        if (result[1]) limitTLSMessages(result[1])
        callback(...result)
      })
  }

  /** `connect` for undici's pool: the spare connection, if it is open or opening. */
  readonly connect: Connect = (options, callback) => {
    const spare = this.#spare
    this.#spare = undefined
    if (!spare) return this.connectNew(options, callback)
    void spare.take().then((socket) => {
      if (!socket || socket.destroyed) return this.connectNew(options, callback)
      this.#nextPreconnectAt = 0
      this.#watch(socket)
      callback(null, socket)
    })
  }

  /** `connect` for a request that must not use a kept-alive connection. */
  readonly connectNew: Connect = (options, callback) => {
    const until = performance.now() + this.#retryTime
    const attempt = (): void => {
      this.#connect(options, (...result) => {
        if (performance.now() < until && TRANSIENT.includes(errorCode(result[0]))) {
          // The timer is unreferenced, because whoever waits has a deadline, whose timer keeps the process alive.
          return void setTimeout(attempt, this.#retryTime / CONNECT_RETRIES).unref()
        }
        if (result[1]) this.#watch(result[1])
        callback(...result)
      })
    }
    attempt()
  }

  /** Opens a spare connection in the background unless a recent one is still unused. Never fails. */
  preconnect(): void {
    const now = performance.now()
    if (this.#isClosed || now < this.#nextPreconnectAt) return
    this.#nextPreconnectAt = now + PRECONNECT_INTERVAL_MS
    this.#spare?.close()
    const { protocol, hostname, host, port } = this.#origin
    const options = { protocol, hostname: withoutBrackets(hostname), host, port }
    this.#spare = new SpareConnection((callback) => this.#connect(options, callback))
  }

  /** Whether the connection closed before the response began. `isSent` tells whether the request got a connection. */
  closedBeforeResponse(error: Error, isSent: boolean): boolean {
    const hadAnswered = this.#hadAnswered.get(error)
    // If the connection had answered all requests written to it, a request that was not written has no response.
    return hadAnswered === false || (hadAnswered === true && !isSent)
  }

  close(): void {
    this.#isClosed = true
    this.#spare?.close()
  }

  // Limits what a socket receives between two requests, and fills `#hadAnswered`, because undici rejects requests with
  // the socket's error.
  #watch(socket: Socket): void {
    // What a proxy sent before the tunnel was open is no response.
    let { bytesRead } = socket
    let bytesReadBefore = socket.bytesRead
    let bytesWrittenBefore = -1
    socket.on('readable', () => {
      if (socket.bytesRead === bytesRead) return
      if (socket.bytesWritten !== bytesWrittenBefore) bytesReadBefore = bytesRead
      bytesRead = socket.bytesRead
      bytesWrittenBefore = socket.bytesWritten
      if (bytesRead - bytesReadBefore > MAX_WIRE_BYTES) socket.destroy(new errors.ResponseExceededMaxSizeError())
    })
    socket.on('error', (error) => {
      // A response that was too large is not requested again, because the next one would be, too.
      if (error instanceof errors.ResponseExceededMaxSizeError) return
      // Node does not count the bytes of a write that fails at once.
      const failedToWrite = Reflect.get(error, 'syscall') === 'write'
      this.#hadAnswered.set(error, bytesWrittenBefore === socket.bytesWritten && !failedToWrite)
    })
  }
}

/** Opens connections in tunnels through a proxy, which does not see what an https connection carries. */
function connectThrough(options: TunnelOptions, connect: Connect): Connect {
  return (target, callback) =>
    openTunnel(target, options, (...result) => {
      const [, httpSocket] = result
      if (httpSocket && target.protocol === 'https:') connect({ ...target, httpSocket }, callback)
      else callback(...result)
    })
}

type Spare = Socket | null | undefined

/** A connection that is opened for a later request. Its timer closes it, whatever its server does. */
class SpareConnection {
  readonly #socket: Promise<Spare>
  readonly #timer: NodeJS.Timeout

  constructor(open: (callback: Parameters<Connect>[1]) => void) {
    const socket = new Promise<Spare>((resolve) => open((_error, socket) => resolve(socket)))
    // An application's own lookup may throw.
    this.#socket = socket.catch(() => null).then((socket) => this.#opened(socket))
    this.#timer = setTimeout(this.close, SPARE_MAX_AGE_MS).unref()
  }

  /** The connection, once it is open; none if that failed. */
  async take(): Promise<Spare> {
    clearTimeout(this.#timer)
    const socket = await this.#socket
    return socket?.off('readable', this.close).off('error', this.close)
  }

  readonly close = (): void => {
    void this.#socket.then((socket) => socket?.on('error', () => {}).destroy())
  }

  #opened(socket: Spare): Spare {
    // A server that sends anything, or the end, before a request will not serve one here. An error of TLS alone does
    // not close a socket. An unused connection must not keep the process alive.
    return socket?.on('readable', this.close).on('error', this.close).unref()
  }
}
