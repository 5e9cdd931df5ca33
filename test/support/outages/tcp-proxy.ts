import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { port as portOf } from '../app'

/** A connection through the proxy. */
interface Pair {
  readonly client: Socket
  readonly server: Socket
  isSilent: boolean
}

/** Observes what clients send: called once per connection, returns a consumer of its bytes. */
type Observe = () => (bytes: Buffer) => void

/** A proxy between a process and its database or provider that simulates network faults. */
export class TCPProxy {
  /** Delay of each chunk in each direction. */
  delayMs = 0
  bytes = 0
  #isSilentForNew = false
  #server: Server
  readonly #pairs = new Set<Pair>()

  private constructor(
    readonly target: number,
    readonly port: number,
    server: Server,
    private readonly observe: Observe,
  ) {
    this.#server = server
    server.on('connection', (client) => this.#join(client))
  }

  static async start(target: number, observe: Observe = () => () => {}): Promise<TCPProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new TCPProxy(target, portOf(server), server, observe)
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
    this.#server = createServer((client) => this.#join(client)).listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.refuse()
  }

  #join(client: Socket): void {
    const server = connect(this.target, '127.0.0.1')
    const pair: Pair = { client, server, isSilent: this.#isSilentForNew }
    this.#pairs.add(pair)
    const seen = this.observe()
    client.on('data', (bytes: Buffer) => seen(bytes))
    this.#carry(pair, client, server)
    this.#carry(pair, server, client)
  }

  #carry(pair: Pair, from: Socket, to: Socket): void {
    from.setNoDelay(true)
    from.on('data', (bytes: Buffer) => {
      this.bytes += bytes.length
      this.#later(() => !pair.isSilent && to.writable && to.write(bytes))
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
