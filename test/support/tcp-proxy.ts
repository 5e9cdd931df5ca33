import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { port as portOf } from './listen'

/** A connection through the proxy. */
export interface Pair {
  readonly client: Socket
  readonly server: Socket
  isSilent: boolean
}

/** For tests of outages: a proxy between a process and its database or provider, which simulates faults of a network. */
export class TCPProxy {
  /** Delay of each chunk in each direction. */
  delayMs = 0
  bytes = 0
  #isSilentForNew = false
  readonly #server: Server
  readonly #port: number
  readonly #pairs = new Set<Pair>()

  protected constructor(
    private readonly target: number,
    server: Server,
  ) {
    this.#server = server.on('connection', (client: Socket) => this.#join(client))
    this.#port = portOf(server)
  }

  static async start(target: number): Promise<TCPProxy> {
    return new TCPProxy(target, await listening())
  }

  get port(): number {
    return this.#port
  }

  /** Forwards nothing on the open connections from now on; new ones work. */
  silenceOpen(): void {
    for (const pair of this.#pairs) pair.isSilent = true
  }

  /** Forwards nothing on any connection; new ones are accepted. */
  silenceAll(): void {
    this.silenceOpen()
    this.#isSilentForNew = true
  }

  /** New connections work again. Silenced connections stay silent, because their bytes are lost. */
  passNew(): void {
    this.#isSilentForNew = false
  }

  /** Resets every connection and refuses new ones. */
  async refuse(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.reset()
    await closed
  }

  async accept(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
  }

  /** Resets each open connection at its next use, like a firewall that rejects what it does not know any more. */
  resetAtNextUse(): void {
    for (const { client } of this.#pairs) client.removeAllListeners('data').on('data', () => client.resetAndDestroy())
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.refuse()
  }

  /** What reads a new connection. @returns whether an answer may reach the client */
  protected observe(_pair: Pair): { sent(bytes: Buffer): void; received(bytes: Buffer): boolean } {
    return { sent: () => {}, received: () => true }
  }

  #join(client: Socket): void {
    const server = connect(this.target, '127.0.0.1')
    const pair: Pair = { client, server, isSilent: this.#isSilentForNew }
    this.#pairs.add(pair)
    const { sent, received } = this.observe(pair)
    client.on('data', (bytes: Buffer) => sent(bytes))
    this.#carry(pair, client, server, () => true)
    this.#carry(pair, server, client, received)
  }

  #carry(pair: Pair, from: Socket, to: Socket, mayPass: (bytes: Buffer) => boolean): void {
    from.setNoDelay(true)
    from.on('data', (bytes: Buffer) => {
      this.bytes += bytes.length
      this.#later(() => mayPass(bytes) && !pair.isSilent && to.writable && to.write(bytes))
    })
    from.on('error', () => {})
    from.on('close', () => {
      this.#pairs.delete(pair)
      // A silent network does not report a close either.
      if (!pair.isSilent) this.#later(() => to.destroy())
    })
  }

  #later(work: () => void): void {
    if (this.delayMs === 0) work()
    else setTimeout(work, this.delayMs)
  }
}

export async function listening(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}
