import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerFor, refusalFor } from '../router'
import type { State } from '../state/state'
import type { Fault } from '../types'
import { deliver } from './deliver'
import { ownAnswer, rewritten } from './faults'
import { type Answer, type ProviderRequest, readRequest } from './request'

/** The provider as a request listener that can abort all pending responses. */
export class Listener {
  private readonly _pending = new Set<ServerResponse>()

  constructor(private readonly _state: State) {}

  handle(message: IncomingMessage, response: ServerResponse): void {
    this._pending.add(response)
    response.once('close', () => this._pending.delete(response))
    this._respond(message, response).catch((error: unknown) => {
      // A client that disconnects while sending is not an error.
      if (!message.destroyed || message.complete) console.error('fake provider:', error)
      response.destroy()
    })
  }

  /** Closes the connections of all pending responses, on a server that is not the provider's own. */
  release(): void {
    for (const response of this._pending) response.destroy()
  }

  private async _respond(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message, this._state.origin)
    const refusal = refusalFor(request, this._state)
    const { endpoint } = request
    if (refusal !== undefined || endpoint === undefined) {
      return deliver({ message, response, answer: refusal ?? this._trueAnswer(request), fault: {}, onStatus: () => {} })
    }
    const entry = this._state.log.add(endpoint, request)
    const fault = this._state.faults.take(endpoint)
    const onStatus = (status: number): void => void Object.assign(entry, { status })
    await deliver({ message, response, answer: this._answer(request, fault), fault, onStatus })
  }

  private _answer(request: ProviderRequest, fault: Fault): Answer {
    return ownAnswer(fault) ?? rewritten(this._trueAnswer(request), fault)
  }

  private _trueAnswer(request: ProviderRequest): Answer {
    if (request.isTooLarge) return { status: 413, headers: {}, body: '' }
    return answerFor(request, this._state)
  }
}
