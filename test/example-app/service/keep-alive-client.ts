import { Agent, type IncomingHttpHeaders, request } from 'node:http'

export interface KeptAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

/** What became of a request: an answer, or the error, and whether its connection had served another one before. */
export type KeptOutcome = KeptAnswer | { readonly error: string; readonly onKeptConnection: boolean }

/** A client with one connection that it keeps for as long as it may, as proxies do. It tries nothing again. */
export class KeepAliveClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(private readonly origin: string) {}

  get(path: string): Promise<KeptOutcome> {
    return new Promise((resolve) => {
      const outgoing = request(`${this.origin}${path}`, { agent: this.#agent }, (response) => {
        const { statusCode: status = 0, headers } = response
        response.resume()
        response.once('close', () =>
          resolve(response.complete ? { status, headers } : { error: 'cut off', onKeptConnection: true }),
        )
      })
      outgoing.once('error', (error) => resolve({ error: error.message, onKeptConnection: outgoing.reusedSocket }))
      outgoing.end()
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
