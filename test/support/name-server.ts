import { createSocket, type RemoteInfo } from 'node:dgram'
import dns from 'node:dns'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { type Answer, decode, encode, type Packet } from 'dns-packet'

/** The addresses of a name. @param lookup counts from 1 */
export type Addresses = (lookup: number) => readonly string[]

/** A name server on this machine, which knows the names that it is told. */
export class NameServer {
  readonly #names = new Map<string, Addresses>()
  readonly #aliases = new Set<string>()
  readonly #lookups = new Map<string, number>()
  readonly #socket = createSocket('udp4')
  readonly #serversBefore = dns.getServers()

  private constructor() {
    this.#socket.on('message', (query, from) => this.#answer(decode(query), from))
  }

  /** Starts one, and makes this process ask no other until it is stopped. */
  static async start(): Promise<NameServer> {
    const server = new NameServer()
    server.#socket.bind(0, '127.0.0.1')
    await once(server.#socket, 'listening')
    dns.setServers([server.address])
    return server
  }

  /** How often the addresses of a name were asked for. */
  lookupsOf(name: string): number {
    return this.#lookups.get(`A ${name}`) ?? 0
  }

  /** What it listens at. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  /** Makes a name an alias of one without addresses. */
  alias(name: string): void {
    this.#aliases.add(name)
  }

  tell(name: string, addresses: Addresses): void {
    this.#names.set(name, addresses)
  }

  async stop(): Promise<void> {
    dns.setServers(this.#serversBefore)
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  #answer({ id = 0, questions = [] }: Packet, { port, address }: RemoteInfo): void {
    const answers = questions.flatMap(({ name, type }) => this.#answersTo(name, type === 'AAAA' ? type : 'A'))
    this.#socket.send(encode({ type: 'response', id, questions, answers }), port, address)
  }

  #answersTo(name: string, type: 'A' | 'AAAA'): Answer[] {
    const key = `${type} ${name}`
    const lookup = (this.#lookups.get(key) ?? 0) + 1
    this.#lookups.set(key, lookup)
    if (this.#aliases.has(name)) return [{ name, type: 'CNAME', data: 'nothing.example' }]
    const addresses = this.#names.get(name)?.(lookup) ?? []
    return addresses.filter((address) => isIPv6(address) === (type === 'AAAA')).map((data) => ({ name, type, data }))
  }
}
