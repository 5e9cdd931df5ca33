import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Draining } from '../../../example-app/web/server'
import { port, stopServer } from '../../support/app'

test('a connection that ends before its requests are answered leaves nothing behind', async () => {
  const draining = new Draining()
  let seen = 0
  const server = createServer(
    draining.watch((_req, res) => {
      seen += 1
      // The first is never answered, so that the turn of the others does not come.
      if (seen > 1) res.end('late')
    }),
  ).listen(0, 'localhost')
  await once(server, 'listening')
  const socket = connect(port(server), 'localhost')
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(50))
  while (seen < 50) await delay(5)
  expect(draining.requestsUnderWay).toBe(50)
  socket.resetAndDestroy()
  while (draining.requestsUnderWay > 0) await delay(5)
  await stopServer(server)
})
