import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerFor, refusalFor } from '../router'
import type { State } from '../state/state'
import type { Fault, LoggedRequest } from '../types'
import { deliver } from './deliver'
import { lineFor } from './line'
import { type Answer, type ProviderRequest, readRequest } from './request'

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

/** The provider as a listener for the requests of a server. */
export function listenerFor(state: State): (message: IncomingMessage, response: ServerResponse) => void {
  return (message, response) => {
    respond(message, response, state).catch((error: unknown) => {
      // A client that disconnects while sending is not an error.
      if (!message.destroyed || message.complete) console.error('fake provider:', error)
      response.destroy()
    })
  }
}

async function respond(message: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const request = await readRequest(message, state)
  const refusal = refusalFor(request, state)
  const report = (answer?: Answer): void => {
    const line = state.report === undefined ? undefined : lineFor(request, answer)
    if (line !== undefined) state.report?.(line)
  }
  if (refusal !== undefined || request.endpoint === undefined) {
    const answer = refusal ?? answerFor(request, state)
    report(answer)
    return deliver(message, response, { answer })
  }
  const { endpoint, method, path, headers, query, body, form } = request
  const parameters = { query: membersOf(query), form: membersOf(form) }
  const entry: LoggedRequest = { endpoint, method, path, headers, body, ...parameters, at: state.clock.now() }
  state.log(entry)
  const fault = state.nextFault(endpoint)
  const answer = faultyAnswer(request, fault, state)
  report(fault.hang || fault.reset || fault.raw !== undefined ? undefined : answer)
  const [, error] = /"error":true,"message":"([^"]*)"/.exec(String(answer.body)) ?? []
  if (error !== undefined) Object.assign(entry, { error })
  await deliver(message, response, { answer, fault, entry })
}

/** The first hundred: a member takes fifty times as much memory as the two bytes that it may be sent in. */
function membersOf(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...parameters].slice(0, 100))
}

/** The response that a fault replaces the endpoint's with, or the endpoint's, after the fault's `rewrite`. */
function faultyAnswer(request: ProviderRequest, fault: Fault, state: State): Answer {
  const { status, body, redirect, raw, rewrite } = fault
  if (rewrite !== undefined) {
    const answer = answerFor(request, state)
    return { ...answer, status: status ?? answer.status, body: rewrite(String(answer.body)) }
  }
  const isReplaced = [status, body, redirect, raw].some((part) => part !== undefined)
  const isSilent = fault.hang === true && fault.truncate === undefined
  const runs = !isReplaced && !isSilent && fault.reset !== true && fault.reset !== 'before'
  if (runs) return answerFor(request, state)
  const [usual, headers] = redirect === undefined ? [200, JSON_HEADERS] : [302, { location: redirect }]
  return { status: status ?? usual, headers, body: body ?? '' }
}
