import { randomUUID } from 'node:crypto'
import { SocialLoginError } from '../../lib'
import {
  type CallbackResult,
  type MultiProviderSocialLoginOptions,
  SocialLogin,
  type SocialLoginOptions,
  type StartOptions,
} from '../../lib/web'

/** Where the runner of test/package/consumers has started a SocialLogin in another runtime: see outcomes/app.mjs there. */
const { OUTCOMES_AT } = process.env

/** The part of SocialLogin that the application of the tests uses. */
export type AnyLogin = Pick<SocialLogin, 'start' | 'callback'>

/** A SocialLogin of this process, or of the other runtime if there is one. */
export function makeLogin(options: SocialLoginOptions | MultiProviderSocialLoginOptions): AnyLogin {
  return OUTCOMES_AT === undefined ? new SocialLogin(options) : remoteLogin(OUTCOMES_AT, options)
}

function remoteLogin(at: string, options: SocialLoginOptions | MultiProviderSocialLoginOptions): AnyLogin {
  const id = randomUUID()
  const send = async (method: string, request: Request, { user = null, ...others }: StartOptions): Promise<Sent> => {
    const { url, method: verb, headers } = request
    const init = { method: verb, headers: [...headers] }
    // What the function of the application answers here, because functions cannot be sent.
    const provider = options.provider && { found: options.provider(request) }
    const hangs = provider?.found instanceof Promise
    // No user is null, because undefined cannot be sent.
    const call = { user, ...others }
    const message = { id, options, method, url, init, call, now: Date.now(), provider: hangs ? { hangs } : provider }
    const body = JSON.stringify(message, (_name, value) => (typeof value === 'bigint' ? { bigint: `${value}` } : value))
    const answer = await fetch(at, { method: 'POST', body })
    if (answer.status !== 200) throw new Error(await answer.text())
    return JSON.parse(await answer.text())
  }
  return {
    start: async (request, call) => responseOf((await send('start', request, call)).response),
    callback: async (request, call) => resultOf(await send('callback', request, call)),
  }
}

type Sent = ReturnType<typeof JSON.parse>

interface SentResponse {
  readonly status: number
  readonly headers: [string, string][]
  readonly body: string
}

function responseOf({ status, headers, body }: SentResponse): Response {
  return new Response(body, { status, headers })
}

function resultOf({ response, error, headers, ...result }: Sent): CallbackResult {
  if (result.type === 'success') return { ...result, headers: new Headers(headers) }
  if (error === undefined) return { ...result, response: responseOf(response) }
  const { code, phase, ...details } = error
  return { ...result, error: new SocialLoginError(code, phase, details), response: responseOf(response) }
}
