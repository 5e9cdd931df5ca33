import { errors } from 'undici/index.js'
import { PrivateAddressError } from '../client/http/address'
import { errorCode, unreachableHint } from '../client/http/network-errors'
import { count } from './text'

const NOT_FOLLOWED = 'PRIVATE_ADDRESS'

/** Why there is no complete response: a fixed sentence, never text from outside. */
export class ProbeError extends Error {
  /** The code of Node's or undici's error. */
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.code = code
  }

  /** @param where where it leads, which may be a private host */
  static notFollowed(where: 'a private address' | 'another host, through a proxy'): ProbeError {
    return new ProbeError(`It leads to ${where}, and was not followed: give that address if it is yours.`, NOT_FOLLOWED)
  }

  static timeout(milliseconds: number): ProbeError {
    return new ProbeError(`There was no complete response within ${count(milliseconds / 1000, 'second')}.`, 'ETIMEDOUT')
  }

  /** What was caught, if it is one. @throws anything else, which is a defect of this program */
  static caught(error: unknown): ProbeError {
    if (error instanceof ProbeError) return error
    throw error
  }

  /** The error of a failed request. */
  static of(error: unknown): ProbeError {
    if (error instanceof ProbeError) return error
    if (error instanceof PrivateAddressError) return ProbeError.notFollowed('a private address')
    if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
      return new ProbeError('The response is not HTTP/1.1.', 'HTTP')
    return new ProbeError(unreachableHint(error) ?? 'The connection failed.', errorCode(error))
  }
}
