import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../types'
import type { Answer } from './request'

// Real milliseconds between the last byte and a reset: a client that receives both together may not see the bytes.
const RESET_PAUSE = 20

interface Delivery {
  readonly answer: Answer
  readonly fault?: Fault
  /** The entry of the request in the log, which gets the status when that is sent. */
  readonly entry?: { status?: number }
}

/** Sends a response, modified by a fault. */
export async function deliver(
  { socket }: IncomingMessage,
  response: ServerResponse,
  delivery: Delivery,
): Promise<void> {
  const { delay, hang, raw, truncate, reset } = delivery.fault ?? {}
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    if (delay !== undefined) await sleep(delay, undefined, { signal: gone.signal })
    // With `raw` or `truncate` the hang comes after their bytes.
    if (hang === true && raw === undefined && truncate === undefined) return
    if (reset === true || reset === 'before') return cut(socket)
    await send(response, delivery, socket, gone.signal)
  } catch (error) {
    // The client has disconnected, or the provider stops. A write may fail a moment before it is reported.
    if (!gone.signal.aborted && !socket.destroyed) throw error
  }
}

async function send(
  response: ServerResponse,
  { answer, fault = {}, entry = {} }: Delivery,
  socket: Socket,
  gone: AbortSignal,
): Promise<void> {
  const raw = fault.reset === 'headers' ? `HTTP/1.1 ${answer.status} Cut\r\ncontent-ty` : fault.raw
  if (raw === undefined) {
    entry.status = answer.status
    response.writeHead(answer.status, headersOf(answer, fault))
    response.flushHeaders()
  }
  await sendBytes(raw === undefined ? response : socket, Buffer.from(raw ?? partOf(answer.body, fault)), fault, gone)
  if (typeof fault.reset === 'string') {
    if (fault.reset !== 'after') await sleep(RESET_PAUSE, undefined, { signal: gone })
    return cut(socket)
  }
  if (fault.hang === true) return
  // `response.end()` would wait for the rest of the promised body; only the socket can end early.
  if (raw !== undefined || fault.truncate !== undefined) socket.end()
  else response.end()
}

function headersOf(answer: Answer, fault: Fault): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of [...Object.entries(answer.headers), ...Object.entries(fault.headers ?? {})]) {
    headers[name.toLowerCase()] = typeof value === 'string' ? value : [...value]
  }
  const hasNoBody = answer.status === 204 || answer.status === 304
  if (!hasNoBody && fault.endless !== true && headers['transfer-encoding'] === undefined) {
    headers['content-length'] ??= String(Buffer.byteLength(answer.body))
  }
  return headers
}

function partOf(body: Answer['body'], { endless, reset, truncate }: Fault): Uint8Array {
  const whole = Buffer.from(body)
  if (endless === true && whole.length === 0) return Buffer.from(' ')
  return whole.subarray(0, reset === 'body' ? Math.ceil(whole.length / 2) : truncate)
}

async function sendBytes(
  sink: NodeJS.WritableStream,
  bytes: Buffer,
  { drip, endless }: Fault,
  gone: AbortSignal,
): Promise<void> {
  const pieces = drip === undefined ? [bytes] : Array.from(bytes, (byte) => Buffer.of(byte))
  for (const piece of pieces) {
    await write(sink, piece)
    if (drip !== undefined) await sleep(drip, undefined, { signal: gone })
  }
  while (endless === true && !gone.aborted) {
    await write(sink, bytes)
    // A write that sends nothing, as with status 204, ends in the same turn of the event loop.
    await nextTurn()
  }
}

function write(sink: NodeJS.WritableStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    if (bytes.length === 0) return resolve()
    sink.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

function cut(socket: Socket): void {
  // A TLS socket cannot be reset; destroying it cuts the connection, too.
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}
