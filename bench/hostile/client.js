// Requests over raw sockets: no HTTP client sends what an attacker sends.
import { connect } from 'node:net'

/** Sends requests one after the other on one connection. Resolves with the head of each answer. */
export function exchange(port, requests) {
  return new Promise((resolve, reject) => {
    const heads = []
    const socket = connect(port, '127.0.0.1', () => socket.write(requests[0]))
    let received = ''
    socket.setEncoding('latin1').on('data', (text) => {
      received += text
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/content-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0)
      if (received.length < end + 4 + length) return
      heads.push(received.slice(0, end))
      received = ''
      if (heads.length === requests.length) {
        socket.destroy()
        return resolve(heads)
      }
      socket.write(requests[heads.length])
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`closed after ${heads.length} of ${requests.length}: ${received}`)))
  })
}

/** One GET as bytes. */
export function get(target, headers = {}) {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
}
