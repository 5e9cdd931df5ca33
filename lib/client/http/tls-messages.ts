import type { Socket } from 'node:net'
import { errors } from 'undici/index.js'
import { MAX_TLS_MESSAGES } from '../../limits'

/** Closes a connection whose server sends more than `MAX_TLS_MESSAGES` of tickets, handshakes and keys. */
export function limitTLSMessages(socket: Socket): void {
  let messages = 0
  const count = (): void => {
    messages += 1
    if (messages > MAX_TLS_MESSAGES) socket.destroy(new errors.ResponseExceededMaxSizeError())
  }
  socket.on('session', count).on('secureConnect', count).on('keylog', count)
}
