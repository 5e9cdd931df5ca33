import { useClients } from '../../../support/client'
import { rejectionOf } from '../../../support/leak-check'
import { RAW_TOKEN, RawProvider } from '../../../support/raw-provider'
import { until } from '../../../support/turns'

const clients = useClients()
let provider: RawProvider

beforeEach(async () => {
  provider = await RawProvider.start()
})

afterEach(() => provider.stop())

test('the one connection that a client may have is free again after each request, however that ended', async () => {
  const client = clients.client({ baseURL: provider.baseURL, maxConnections: 1, timeout: 2000 })
  const exchange = (): Promise<unknown> => client.exchangeAuthKey('a-key')
  expect(await exchange()).toEqual({ access_token: RAW_TOKEN })
  expect(await exchange()).toEqual({ access_token: RAW_TOKEN })
  provider.failNext('authorize', (socket) => socket.end('HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n'))
  expect(await rejectionOf(exchange())).toMatchObject({ code: 'provider_unavailable' })
  provider.failNext('authorize', (socket) => socket.resetAndDestroy(), 2)
  expect(await rejectionOf(exchange())).toMatchObject({ code: 'provider_unreachable' })
  const controller = new AbortController()
  provider.failNext('authorize', () => {})
  const before = provider.requests.length
  const aborted = rejectionOf(client.exchangeAuthKey('a-key', { signal: controller.signal }))
  await until(() => provider.requests.length > before)
  controller.abort()
  expect(await aborted).toMatchObject({ name: 'AbortError' })
  expect(await exchange()).toEqual({ access_token: RAW_TOKEN })
})
