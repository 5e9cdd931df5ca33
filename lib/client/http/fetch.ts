import { codingsOf } from './decompress'
import type { ProviderResponse } from './response-reader'
import type { Network, RequestAttempt, Transport } from './transport'

const BY_ITSELF = 'in this build requests are sent by fetch, which opens its connections by itself'

/** For runtimes that have no connections of Node, or none that outlive a request. */
export const fetchNetwork: Network = {
  withoutOptions: { dispatcher: BY_ITSELF, maxPools: BY_ITSELF },
  openTransports({ allowPrivateAddresses }) {
    if (!allowPrivateAddresses)
      throw new TypeError(
        'allowPrivateAddresses must be true in this build: fetch looks names up by itself, so that private addresses cannot be refused',
      )
    return { transportTo: () => fetchTransport, close: async () => {} }
  },
}

// On some platforms, reading a body does not end with the signal.
const fetchTransport: Transport = { send: (attempt) => attempt.deadline.race(receive(attempt)) }

async function receive({ request, deadline, reader }: RequestAttempt): Promise<ProviderResponse> {
  const { origin, path, method, headers, body } = request
  // Node's `fetch` repeats a request answered by 421, which was not processed (RFC 9110, section 15.5.20).
  const options = { method, headers, body, redirect: 'manual', cache: 'no-store', signal: deadline.signal } as const
  const response = await fetch(origin + path, options)
  const encoded = Object.fromEntries(response.headers)
  const { 'content-encoding': encoding = '', ...decoded } = encoded
  // Platforms may negotiate and decode these codings by themselves. With any other one, the body is as it was sent.
  const isDecoded = /^(gzip|br)$/.test(encoding)
  try {
    if (!reader.start(response.status, isDecoded ? decoded : encoded)) await response.body?.cancel()
    else for await (const chunk of response.body ?? []) if (!reader.add(chunk)) break
  } catch (error) {
    if (codingsOf(encoded).length === 0) throw error
    reader.markUndecodable()
  }
  return reader.finish()
}
