import type { IncomingMessage, ServerResponse } from 'node:http'
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

/** The provider as a request listener, and the way to let go of every connection that still waits for an answer. */
export class Listener {
  private readonly _open = new Set<ServerResponse>()

  constructor(private readonly _parts: ListenerParts) {}

  handle(message: IncomingMessage, response: ServerResponse): void {
    this._open.add(response)
    response.once('close', () => this._open.delete(response))
    this._answer(message, response).catch((error: unknown) => {
      // A client that left while it was sending is nobody's mistake.
      if (!message.destroyed || message.complete) console.error('fake provider:', error)
      response.destroy()
    })
  }

  release(): void {
    for (const response of this._open) response.socket?.destroy()
  }

  private async _answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { faults, log, origin, state } = this._parts
    const request = await readRequest(message, origin())
    const refusal = refusalFor(request, state)
    if (refusal !== undefined) return deliver(response, refusal, {}, () => {})
    const endpoint = endpointOf(request.pathname)
    if (endpoint === undefined) return deliver(response, await this._trueAnswer(request), {}, () => {})
    const entry = log.add(endpoint, request)
    const fault = faults.take(endpoint)
    const answer = ownAnswer(fault) ?? rewritten(await this._trueAnswer(request), fault)
    await deliver(response, answer, fault, (status) => log.setStatus(entry, status))
  }

  private async _trueAnswer(request: ProviderRequest): Promise<Answer> {
    if (request.isTooLarge) return { status: 413, headers: {}, body: '' }
    return answerFor(request, this._parts.state)
  }
}
