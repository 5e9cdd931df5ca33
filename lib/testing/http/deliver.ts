import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../types'
import type { Answer } from './answer'

/**
 * Real milliseconds between the last byte and a reset: a client that receives both at once may take the reset for a
 * normal end.
 */
const resetPause = 20

interface Delivery {
  readonly response: ServerResponse
  /** The connection. Not `response.socket`, which is null while a pipelined response waits for another one. */
  readonly socket: Socket
  readonly answer: Answer
  readonly fault: Fault
  /** Aborts when the connection closes: the client disconnected, or the provider stopped. */
  readonly gone: AbortSignal
  readonly onStatus: (status: number) => void
}

/** Sends a response, modified by a fault; calls `onStatus` when the status is sent. */
export async function deliver(delivery: Delivery): Promise<void> {
  const { fault, gone, socket } = delivery
  try {
    if (fault.delay !== undefined) await sleep(fault.delay, undefined, { signal: gone })
    if (!isSilent(fault)) await send(delivery)
  } catch (error) {
    // A write may fail a moment before the connection is reported as closed.
    if (!gone.aborted && !socket.destroyed) throw error
  }
}

/** Whether nothing is sent at all: with `raw` or `truncate` the hang comes after their bytes. */
function isSilent(fault: Fault): boolean {
  return fault.hang === true && fault.raw === undefined && fault.truncate === undefined
}

async function send(delivery: Delivery): Promise<void> {
  const { response, socket, fault } = delivery
  if (fault.reset === true || fault.reset === 'before') return resetConnection(socket)
  if (fault.raw !== undefined) return sendRaw(delivery, fault.raw)
  if (fault.reset === 'headers') return resetWithinHeaders(delivery)
  delivery.onStatus(delivery.answer.status)
  response.writeHead(delivery.answer.status, headersOf(delivery))
  response.flushHeaders()
  return fault.endless === true ? sendEndlessly(delivery) : sendBody(delivery)
}

function headersOf({ answer, fault }: Delivery): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries({ ...answer.headers, ...lowerCased(fault.headers) })) {
    headers[name] = typeof value === 'string' ? value : [...value]
  }
  const hasNoBody = answer.status === 204 || answer.status === 304
  if (!hasNoBody && fault.endless !== true && headers['transfer-encoding'] === undefined) {
    headers['content-length'] ??= String(Buffer.byteLength(answer.body))
  }
  return headers
}

function lowerCased(headers: Fault['headers'] = {}): NonNullable<Fault['headers']> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

async function sendBody({ response, socket, answer, fault, gone }: Delivery): Promise<void> {
  const whole = Buffer.from(answer.body)
  const part = whole.subarray(0, fault.reset === 'body' ? Math.ceil(whole.length / 2) : fault.truncate)
  if (fault.drip !== undefined) await drip(response, part, fault.drip, gone)
  else if (part.length > 0) await write(response, part)
  if (fault.reset === 'body') return resetAfterPause(socket, gone)
  // `response.end()` would wait for the rest of the promised body; only the socket can end early.
  if (fault.truncate !== undefined) return fault.hang === true ? undefined : void socket.end()
  response.end()
  if (fault.reset !== 'after') return
  await once(response, 'finish', { signal: gone })
  resetConnection(socket)
}

async function sendEndlessly({ response, answer, gone }: Delivery): Promise<void> {
  // Node discards writes to a response without a body at once, so an endless body would never block.
  if (response.req.method === 'HEAD' || answer.status === 204 || answer.status === 304) return void response.end()
  const body = Buffer.byteLength(answer.body) === 0 ? ' ' : answer.body
  while (!gone.aborted) {
    if (response.write(body)) await nextTurn()
    else await once(response, 'drain', { signal: gone })
  }
}

async function sendRaw({ socket, fault, gone }: Delivery, raw: string | Uint8Array): Promise<void> {
  const bytes = Buffer.from(raw)
  if (fault.drip !== undefined) await drip(socket, bytes, fault.drip, gone)
  else if (bytes.length > 0) await write(socket, bytes)
  while (fault.endless === true && bytes.length > 0 && !gone.aborted) await write(socket, bytes)
  if (fault.hang === true) return
  if (fault.reset === 'after') resetConnection(socket)
  else socket.end()
}

async function resetWithinHeaders({ socket, answer, gone }: Delivery): Promise<void> {
  await write(socket, Buffer.from(`HTTP/1.1 ${answer.status} Cut\r\ncontent-ty`))
  await resetAfterPause(socket, gone)
}

async function drip(sink: NodeJS.WritableStream, bytes: Buffer, pause: number, gone: AbortSignal): Promise<void> {
  for (let at = 0; at < bytes.length; at += 1) {
    await write(sink, bytes.subarray(at, at + 1))
    await sleep(pause, undefined, { signal: gone })
  }
}

function write(sink: NodeJS.WritableStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    sink.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

async function resetAfterPause(socket: Socket, gone: AbortSignal): Promise<void> {
  await sleep(resetPause, undefined, { signal: gone })
  resetConnection(socket)
}

function resetConnection(socket: Socket): void {
  // A TLS socket cannot be reset; destroying it cuts the connection, too.
  if ('encrypted' in socket) return void socket.destroy()
  // Node's resetAndDestroy ends the stream politely first: the client would see a FIN before the RST.
  Object.assign(socket, { destroySoon: () => socket.destroy() })
  socket.resetAndDestroy()
}
