import { connect } from 'node:net'

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
