import type { Socket } from 'node:net'
import { errors } from 'undici/index.js'
import { MAX_TLS_MESSAGES } from '../../limits'

/**
 * Closes a connection at its first error, because Node only tells one of TLS after the handshake; and if its server sends
 * more than `MAX_TLS_MESSAGES` of tickets, handshakes and keys. It keeps no process alive: anyone who waits for it has a
 * deadline, whose timer does.
 */
export function guard(socket: Socket): void {
  // Not immediately, because others would hear of the end before they hear of the error.
  socket.on('error', () => queueMicrotask(() => socket.destroy()))
  socket.once('secureConnect', () => limitTLSMessages(socket))
  socket.unref()
}

/** Closes a connection when the signal aborts. @returns a function after which it does not */
export function closeOnAbort(socket: Socket, signal: AbortSignal): () => void {
  const abort = (): void => void socket.destroy(signal.reason)
  const stop = (): void => signal.removeEventListener('abort', abort)
  socket.once('close', stop)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  return stop
}

function limitTLSMessages(socket: Socket): void {
  let messages = 0
  const count = (): void => {
    messages += 1
    if (messages > MAX_TLS_MESSAGES) socket.destroy(new errors.ResponseExceededMaxSizeError())
  }
  socket.on('session', count).on('secureConnect', count).on('keylog', count)
}
