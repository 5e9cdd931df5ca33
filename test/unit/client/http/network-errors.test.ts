import { OUTCOMES, SocialLoginError } from '../../../../lib'
import { Deadline } from '../../../../lib/client/deadline'
import { outcomeOf, unreachable } from '../../../../lib/client/http/network-errors'

const { message } = OUTCOMES.provider_unreachable
const hintFor = (error: unknown): string => unreachable('exchange', error).message.slice(message.length + 1)
const coded = (code: unknown): Error => Object.assign(new Error('connect to 10.0.0.1'), { code })

test.each([
  ['ECONNREFUSED', 'was refused: nothing listens'],
  ['ENOTFOUND', '(DNS)'],
  ['EAI_AGAIN', '(DNS)'],
  ['ENETUNREACH', 'no route'],
  ['ETIMEDOUT', 'in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'in time'],
  ['ECONNRESET', 'was closed'],
  ['UND_ERR_SOCKET', 'was closed'],
  ['CERT_HAS_EXPIRED', 'certificate'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate'],
  ['EPROTO', 'TLS'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS'],
])('the code %s has a hint', (code, words) => {
  expect(hintFor(coded(code))).toContain(words)
  // Several addresses were tried.
  expect(hintFor(Object.assign(new AggregateError([coded(code)]), { code }))).toContain(words)
})

test.each([[undefined], [null], ['ECONNREFUSED'], [new Error('x')], [coded('EOTHER')], [coded(7)], [coded({})]])(
  'there is no hint, and nothing is quoted, for %p',
  (error) => {
    expect(hintFor(error)).toBe('')
    expect(unreachable('profile', error)).toMatchObject({ message, phase: 'profile', code: 'provider_unreachable' })
  },
)

test.each([RangeError, ReferenceError, SyntaxError])(
  'a %p without a code is a failure of this process, not of the network',
  (Kind) => {
    const deadline = new Deadline(1000)
    const outcome = outcomeOf(new Kind('WebAssembly.instantiate(): Out of memory (canary)'), 'exchange', deadline)
    deadline.clear()
    expect(outcome).not.toBeInstanceOf(SocialLoginError)
    expect(String(outcome)).toContain('inside of this process, and not on the network')
    expect(String(outcome)).not.toContain('canary')
  },
)
