import { connect, type Socket } from 'node:net'

/** The requests of one connection. */
export interface Exchange {
  readonly port: number
  readonly bytes: string
  /** Number of expected answers, unless the server closes earlier; undefined if unknown. */
  readonly answers: number | undefined
  /** Whether the client closes the connection once it has sent the bytes, or their first packet. */
  readonly isAborted: boolean
  /** Real milliseconds after which an answer, or a close, must have come. */
  readonly deadline: number
  /** Where the bytes are split into two packets; undefined sends them at once. */
  readonly cutAt: number | undefined
}

/** The responses. */
export interface Outcome {
  /** Status of every final answer, in order. */
  readonly statuses: readonly number[]
  readonly end: 'complete' | 'closed' | 'hang' | 'refused'
}

// How long the server has to answer requests of an unknown number before the client half-closes the connection.
const HALF_CLOSE_MS = 30

/** Sends the bytes on a new connection, and reads until all requests are answered or the server closes. */
export function exchangeRaw(exchange: Exchange): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port: exchange.port, host: '127.0.0.1', allowHalfOpen: true })
    const statuses: number[] = []
    let tail = ''
    let isConnected = false
    const finish = (end: Outcome['end']): void => {
      clearTimeout(deadline)
      socket.destroy()
      resolve({ statuses, end })
    }
    const deadline = setTimeout(() => finish('hang'), exchange.deadline)
    socket.on('connect', () => {
      isConnected = true
      write(socket, exchange, finish)
    })
    socket.on('data', (chunk) => {
      tail = collect(tail + chunk.toString('latin1'), statuses)
      if (exchange.answers !== undefined && statuses.length >= exchange.answers) finish('complete')
    })
    socket.on('end', () => finish('closed'))
    socket.on('error', () => finish(isConnected ? 'closed' : 'refused'))
    socket.on('close', () => finish('closed'))
  })
}

function write(
  socket: Socket,
  { bytes, answers, isAborted, cutAt }: Exchange,
  finish: (end: Outcome['end']) => void,
): void {
  if (isAborted) {
    socket.write(bytes.slice(0, cutAt), 'latin1', () => finish('complete'))
    return
  }
  socket.setNoDelay(true)
  socket.write(bytes.slice(0, cutAt), 'latin1')
  if (cutAt !== undefined) setImmediate(() => socket.write(bytes.slice(cutAt), 'latin1'))
  if (answers === undefined) setTimeout(() => socket.end(), HALF_CLOSE_MS)
}

/** Collects the statuses in a text. @returns the rest, which may contain the beginning of a status line */
function collect(text: string, statuses: number[]): string {
  let end = 0
  for (const match of text.matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
    const status = Number(match[1])
    if (status >= 200) statuses.push(status)
    end = match.index + match[0].length
  }
  return text.slice(Math.max(end, text.length - 12))
}
