import { connect } from 'node:net'

/** The response to a raw request. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends these bytes, which no HTTP library would send, and reads until the server closes. */
export function sendBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) })
    const chunks: string[] = []
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => chunks.push(String(chunk)))
    socket.once('error', reject)
    socket.once('close', () => resolve(chunks.join('')))
    socket.write(bytes, 'latin1')
  })
}

/** Sends one request as it is, headers that `fetch` would not send included, and reads until the server closes. */
export async function sendRaw(origin: string, lines: readonly string[], body = ''): Promise<RawAnswer> {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  const head = [...lines, ...length, 'Connection: close', '', ''].join('\r\n')
  return parsed(await sendBytes(origin, Buffer.from(head + body).toString('latin1')))
}

function parsed(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const pairs = lines.map((line): [string, string] => {
    const at = line.indexOf(':')
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
  })
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(pairs), body: rest.join('\r\n\r\n') }
}

/** Sends the same request `count` times on one connection, in batches, as fast as the server answers. */
export async function sendMany(origin: string, request: string, count: number): Promise<void> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const most = Math.max(1, Math.floor(200_000 / request.length))
  let [sent, answered, rest] = [0, 0, '']
  const sendBatch = (): void => {
    const batch = Math.min(most, count - sent)
    sent += batch
    socket.write(request.repeat(batch), 'latin1')
  }
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`the server closed the connection after ${answered} answers`)))
    socket.on('data', (chunk) => {
      const text = rest + chunk.toString('latin1')
      answered += text.split('HTTP/1.1 ').length - 1
      // A status line may continue in the next chunk.
      rest = text.slice(-8).startsWith('HTTP/1.1') ? text.slice(-8) : text.slice(-7)
      if (answered === count) resolve()
      else if (answered === sent) sendBatch()
    })
    sendBatch()
  })
  socket.destroy()
}
