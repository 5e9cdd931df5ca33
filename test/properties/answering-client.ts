import { SocialLoginClient, SocialLoginError } from '../../lib'
import { required } from '../support/options'

/**
 * A client whose provider responds with this text, without sockets, so that tens of thousands of bodies can be tried.
 */
export function answeringClient(body: () => string | Uint8Array): SocialLoginClient {
  const request = async () => ({ statusCode: 200, headers: {}, body: chunks(body()) })
  const options: unknown = { ...required, dispatcher: { request } }
  return Reflect.construct(SocialLoginClient, [options])
}

async function* chunks(body: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(body)
  const half = Math.ceil(bytes.length / 2)
  yield bytes.subarray(0, half)
  yield bytes.subarray(half)
}

/** The result of a call, or the code of its error; other errors are rethrown. */
export async function valueOrCode<T>(
  work: () => Promise<T>,
): Promise<{ value: T } | { code: string; error: SocialLoginError }> {
  try {
    return { value: await work() }
  } catch (error) {
    if (error instanceof SocialLoginError) return { code: error.code, error }
    throw error
  }
}
