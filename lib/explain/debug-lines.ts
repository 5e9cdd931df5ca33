import { AsyncLocalStorage } from 'node:async_hooks'
import type { TracingChannel } from 'node:diagnostics_channel'
import { debuglog } from 'node:util'
import { isOutcome, VERIFY_REFUSED, withAddress, withoutAddress } from '../errors'
import { MAX_RETURN_PATH_LENGTH } from '../limits'

/** What a line takes from a message of the tracing channels. */
interface Message {
  readonly strategy: string
  readonly phase: string
  readonly code?: string
  readonly page?: string
  readonly duration?: number
  readonly login?: string
  readonly retried?: true
  readonly droppedReturnTo?: string
  readonly error?: { readonly message: string; readonly phase: string }
}

type Channels = Readonly<Record<string, TracingChannel<unknown, Message>>>

/** What the phases within a callback took, and whether it was the verify function that failed. */
interface Parts {
  readonly texts: string[]
  verifyFailed: boolean
}

/**
 * Subscribes to the tracing channels for `NODE_DEBUG=passport-social-login`: one line for each login that has ended, and
 * for each request that came to none.
 */
export function writeDebugLines(channels: Channels): void {
  // workerd writes the lines of a `debuglog` whether or not NODE_DEBUG asks for them.
  if (process.env['NODE_DEBUG'] === undefined) return
  const debug = debuglog('passport-social-login')
  if (!debug.enabled) return
  const callbacks = new WeakMap<Message, Parts>()
  const running = new AsyncLocalStorage<Parts>()
  for (const [phase, channel] of Object.entries(channels)) {
    if (phase === 'callback')
      channel.start.bindStore(running, (message) => {
        const parts: Parts = { texts: [], verifyFailed: false }
        callbacks.set(message, parts)
        return parts
      })
    channel.asyncEnd.subscribe((message) => {
      // The channel is subscribed to for its own messages alone.
      if (!isMessage(message)) return
      if (phase === 'start' || phase === 'callback') write(debug, message, callbacks.get(message))
      else collect(message, running.getStore())
    })
  }
}

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'phase' in message
}

function collect({ phase, code, duration, retried }: Message, parts: Parts | undefined): void {
  if (phase === 'verify' && code === 'application_error' && parts) parts.verifyFailed = true
  parts?.texts.push(`${phase}${retried ? ' (sent again)' : ''} ${milliseconds(duration)}`)
}

function write(debug: (text: string, ...values: unknown[]) => void, message: Message, parts?: Parts): void {
  const { strategy, phase, code, page, duration, login, droppedReturnTo, error } = message
  if (droppedReturnTo !== undefined)
    debug('%s %s: returnTo is ignored: %s', strategy, phase, OF_DROPPED[droppedReturnTo])
  // A start that led to the provider goes on.
  if (phase === 'start' && code === undefined && page === undefined) return
  const what = code === undefined ? OF_PAGE[page ?? 'login'] : `${code}: ${sentenceOf(code, error)}`
  const where = parts?.verifyFailed ? 'verify' : (error?.phase ?? phase)
  const texts = parts?.texts.join(', ')
  const took = milliseconds(duration) + (texts ? `: ${texts}` : '')
  const line = `${strategy} ${where}: ${what} (${took}${login === undefined ? '' : `, login ${login}`})`
  const explained = code ?? (page === 'confirm' ? 'start_forbidden' : '')
  debug('%s', isExplained(explained) ? withAddress(line, explained) : line)
}

function milliseconds(duration = 0): string {
  return `${Math.round(duration)} ms`
}

const OF_DROPPED: Readonly<Record<string, string>> = {
  'no text': 'it must be a string (a query parameter that is repeated is an array)',
  'no slash': 'it must be a path that begins with a slash, such as /inbox',
  'another origin': 'it is on another origin than this application',
  'too long': `it has more than ${MAX_RETURN_PATH_LENGTH.toLocaleString('en')} characters once it is percent-encoded`,
}

const OF_PAGE: Readonly<Record<string, string>> = {
  login: 'success',
  confirm: 'the confirm page, because the request does not show that a page of this application linked to it',
  tab: 'the page that asks the tab',
  router: 'a client-side router, which leaves the navigation to the browser',
}

const OF_CODE: Readonly<Record<string, string>> = {
  verify_refused: VERIFY_REFUSED,
  application_error: 'A function of the application failed: its error goes to next(error).',
}

function sentenceOf(code: string, error?: { readonly message: string }): string {
  return error === undefined ? (OF_CODE[code] ?? '') : withoutAddress(error.message)
}

/** An error of the application's own class may have its own code. */
function isExplained(code: string): boolean {
  return isOutcome(code) || Object.hasOwn(OF_CODE, code)
}
