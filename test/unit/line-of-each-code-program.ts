import { Trace } from '../../lib/diagnostics'
import { isOutcome, OUTCOMES, type Phase, SocialLoginError } from '../../lib/errors'

const ERROR_OF_OWN_CLASS = Object.assign(new SocialLoginError('overloaded', 'callback'), { code: 'out_of_stock' })

const codes = Object.keys(OUTCOMES).filter(isOutcome)
const errors: [Phase, unknown][] = [
  ...codes.map((code): [Phase, unknown] => ['callback', new SocialLoginError(code, 'callback')]),
  ['callback', new Error('canary')],
  ['callback', ERROR_OF_OWN_CLASS],
]

/** Writes the line of NODE_DEBUG for each code, and for an error of the application with a code of its own. */
async function main(): Promise<void> {
  const trace = new Trace('social-login')
  for (const [phase, error] of errors) await trace.run(phase, () => Promise.reject(error)).catch(() => {})
  await trace.run(
    'callback',
    () => Promise.resolve(),
    () => ({ code: 'verify_refused' }),
  )
}

void main()
