import type { Endpoint, Fault } from '../types'
import { type Answer, ENDPOINTS } from './request'

const json = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

interface Waiting {
  readonly fault: Fault
  left: number
}

/** The queued faults of each endpoint. */
export class FaultQueue {
  private readonly _waiting = new Map<Endpoint, Waiting[]>()

  add(endpoint: Endpoint, fault: Fault, times: number): void {
    const endpoints = [...ENDPOINTS.values()]
    if (!endpoints.includes(endpoint)) throw new TypeError(`failNext: endpoint must be one of ${endpoints.join(', ')}`)
    if (!Number.isSafeInteger(times) || times < 1) throw new TypeError('failNext: times must be a whole number from 1')
    this._waiting.set(endpoint, [...(this._waiting.get(endpoint) ?? []), { fault, left: times }])
  }

  /** Removes and returns the next fault of this endpoint, or an empty fault. */
  take(endpoint: Endpoint): Fault {
    const waiting = this._waiting.get(endpoint)
    const next = waiting?.[0]
    if (next === undefined) return {}
    next.left -= 1
    if (next.left === 0) waiting?.shift()
    return next.fault
  }

  clear(): void {
    this._waiting.clear()
  }
}

/** The response that a fault replaces the endpoint's with; undefined if the endpoint must run. */
export function ownAnswer(fault: Fault): Answer | undefined {
  if (fault.rewrite !== undefined) return undefined
  if (fault.redirect !== undefined) {
    return { status: fault.status ?? 302, headers: { location: fault.redirect }, body: fault.body ?? '' }
  }
  if (fault.body !== undefined || fault.status !== undefined) {
    return { status: fault.status ?? 200, headers: json, body: fault.body ?? '' }
  }
  const isSilent = fault.hang === true && fault.truncate === undefined
  const answersNothing = isSilent || fault.reset === true || fault.reset === 'before'
  return answersNothing || fault.raw !== undefined ? { status: 200, headers: json, body: '' } : undefined
}

/** The endpoint's response, after a fault's `rewrite` and with its status. */
export function rewritten(answer: Answer, fault: Fault): Answer {
  if (fault.rewrite === undefined) return answer
  const text = typeof answer.body === 'string' ? answer.body : Buffer.from(answer.body).toString('utf8')
  return { ...answer, status: fault.status ?? answer.status, body: fault.rewrite(text) }
}
