import dns from 'node:dns'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { codeOf } from '../support/app'
import { type Connections, countConnections } from '../support/connections'
import { type Listening, listen, port } from '../support/listen'
import { useLogins } from '../support/logins'
import { startManyProvidersApp } from '../support/many-providers-app'
import { NameServer } from '../support/name-server'

// For documentation, so that nothing of the internet is meant.
const ELSEWHERE = '203.0.113.1'

const logins = useLogins()

let names: NameServer
let service: Listening
let connections: Connections

beforeEach(async () => {
  names = logins.stopLater(await NameServer.start())
  service = logins.stopLater(await listen((_req, res) => res.end('internal'), '127.0.0.1'))
  connections = countConnections(service.server)
})

const resolve: LookupFunction = (name, _options, callback) => {
  dns.resolve4(name, (error, found) =>
    callback(
      error,
      found.map((address) => ({ address, family: 4 })),
    ),
  )
}

/** Looks the name up, refuses this machine, and then connects to the name. */
async function naivelyRequest(name: string): Promise<number | undefined> {
  const addresses = await promisify(dns.resolve4)(name)
  if (addresses.includes('127.0.0.1')) throw new Error('a private address')
  const request = get(`http://${name}:${port(service.server)}`, { lookup: resolve })
  const [response]: IncomingMessage[] = await once(request, 'response')
  response?.resume()
  return response?.statusCode
}

test('an application that checks a name before it connects is led to a service of its own machine', async () => {
  names.tell('rebinding.example', (lookup) => (lookup === 1 ? [ELSEWHERE] : ['127.0.0.1']))
  expect(await naivelyRequest('rebinding.example')).toBe(200)
  expect(connections.accepted).toBe(1)
})

const startApp = (hostname: string) =>
  startManyProvidersApp(logins, () => `http://${hostname}:${port(service.server)}/api/v1`, {
    allowPrivateAddresses: false,
    allowInsecureHTTP: true,
  })

test.each([
  ['private at once', () => ['127.0.0.1']],
  ['private from the second lookup on', (lookup: number) => (lookup === 1 ? [] : ['127.0.0.1'])],
  ['private and public', () => [ELSEWHERE, '127.0.0.1']],
  ['private as IPv6', () => ['::ffff:127.0.0.1']],
])('a community whose name is %s is not connected to, in none of its logins', async (_title, addresses) => {
  names.tell('community.example', addresses)
  const app = await startApp('community.example')
  for (let login = 0; login < 3; login += 1) await app.logInAt('hostile')
  expect(app.errors.map(codeOf)).toEqual(app.errors.map(() => 'provider_unreachable'))
  expect(String(app.errors.at(-1))).toContain('private address')
  expect(names.lookupsOf('community.example')).toBeGreaterThanOrEqual(3)
  expect(connections.accepted).toBe(0)
})
