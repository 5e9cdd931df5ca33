// Calls SocialLogin in this runtime, for the table of outcomes that the package's own tests play: see test/support/remote-login.ts.
import { SocialLogin } from 'passport-social-login/web'

const logins = new Map()
const providers = new WeakMap()
const clock = Date.now

let calls = 0

/** A GET is answered with the number of calls. */
export async function respond(message) {
  if (message.method === 'GET') return Response.json(calls)
  calls += 1
  const { id, options, method, url, init, call, now, provider } = JSON.parse(await message.text(), toBigInt)
  const offset = now - clock()
  Date.now = () => clock() + offset
  const request = new Request(url, init)
  providers.set(request, provider?.hangs ? new Promise(() => {}) : provider?.found)
  if (!logins.has(id)) logins.set(id, new SocialLogin(provider ? { ...options, provider: findProvider } : options))
  const result = await logins.get(id)[method](request, call)
  return Response.json(method === 'start' ? { response: await toJSON(result) } : await resultToJSON(result))
}

function findProvider(request) {
  return providers.get(request)
}

function toBigInt(_name, value) {
  return typeof value?.bigint === 'string' ? BigInt(value.bigint) : value
}

async function resultToJSON({ response, error, headers, ...result }) {
  if (result.type === 'success') return { ...result, headers: [...headers] }
  const { code, phase, retryable, retryAfter } = error ?? {}
  return { ...result, response: await toJSON(response), error: error && { code, phase, retryable, retryAfter } }
}

async function toJSON(response) {
  return { status: response.status, headers: [...response.headers], body: await response.text() }
}
