import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endpointOf } from '../endpoints/endpoints'
import { answerFor, refusalFor } from '../endpoints/router'
import type { FaultQueue } from '../faults'
import { ownAnswer, rewritten } from '../faults'
import type { RequestLog } from '../request-log'
import type { State } from '../state/state'
import type { Answer } from './answer'
import { deliver } from './deliver'
import { type ProviderRequest, readRequest } from './request'

/** What the listener needs besides the state. */
export interface ListenerParts {
  readonly state: State
  readonly faults: FaultQueue
  readonly log: RequestLog
  readonly origin: () => string | undefined
}

/** The provider as a request listener that can abort all pending responses. */
export class Listener {
  // By connection, not by response: Node emits no event for a pipelined response when its connection closes.
  private readonly _open = new Map<Socket, AbortController>()

  constructor(private readonly _parts: ListenerParts) {}

  handle(message: IncomingMessage, response: ServerResponse): void {
    const gone = this._goneSignal(message.socket)
    this._answer(message, response, gone).catch((error: unknown) => {
      // A client that disconnects while sending is not an error.
      if (!message.destroyed || message.complete) console.error('fake provider:', error)
      response.destroy()
    })
  }

  release(): void {
    for (const socket of this._open.keys()) socket.destroy()
  }

  /** Aborts when the connection closes. */
  private _goneSignal(socket: Socket): AbortSignal {
    const known = this._open.get(socket)
    if (known !== undefined) return known.signal
    const gone = new AbortController()
    // One listener for each request that waits on this connection.
    setMaxListeners(0, gone.signal)
    this._open.set(socket, gone)
    socket.once('close', () => {
      this._open.delete(socket)
      gone.abort()
    })
    return gone.signal
  }

  private async _answer(message: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const { faults, log, origin, state } = this._parts
    const request = await readRequest(message, origin())
    const refusal = refusalFor(request, state)
    const { socket } = message
    const undisturbed = { response, socket, fault: {}, gone, onStatus: () => {} }
    if (refusal !== undefined) return deliver({ ...undisturbed, answer: refusal })
    const endpoint = endpointOf(request.pathname)
    if (endpoint === undefined) return deliver({ ...undisturbed, answer: this._trueAnswer(request) })
    const entry = log.add(endpoint, request)
    const fault = faults.take(endpoint)
    const answer = ownAnswer(fault) ?? rewritten(this._trueAnswer(request), fault)
    const onStatus = (status: number): void => log.setStatus(entry, status)
    await deliver({ response, socket, answer, fault, gone, onStatus })
  }

  private _trueAnswer(request: ProviderRequest): Answer {
    if (request.isTooLarge) return { status: 413, headers: {}, body: '' }
    return answerFor(request, this._parts.state)
  }
}
