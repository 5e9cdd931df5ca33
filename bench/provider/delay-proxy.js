import { connect, createServer } from 'node:net'

/**
 * Simulates the way to a distant provider: every byte takes half a round trip. On the loopback a connection is
 * open immediately, so the first bytes wait one more round trip, the one that the TCP handshake takes.
 */
export function createDelayProxy(targetPort, roundTripMs, onConnection) {
  return createServer({ noDelay: true }, (near) => {
    onConnection()
    const far = connect({ port: targetPort, host: '127.0.0.1', noDelay: true })
    carry(near, far, roundTripMs / 2, performance.now() + roundTripMs)
    carry(far, near, roundTripMs / 2, 0)
  })
}

function carry(from, to, delayMs, openAt) {
  const later = (action) => runAt(Math.max(performance.now(), openAt) + delayMs, action)
  from.on('data', (chunk) => later(() => to.writable && to.write(chunk)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => to.destroy())
  from.on('close', () => later(() => to.destroy()))
}

// A timer is late by up to two milliseconds, which would add up: it wakes early, and the rest is waited out in turns.
function runAt(time, action) {
  const left = time - performance.now()
  if (left > 3) return void setTimeout(runAt, left - 2, time, action)
  const spin = () => (performance.now() >= time ? action() : setImmediate(spin))
  spin()
}
