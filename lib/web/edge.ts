import { fetchNetwork } from '../client/http/fetch'
import type { CallbackOptions, MultiProviderSocialLoginOptions, SocialLoginOptions } from './options'
import type { CallbackResult } from './result'
import { WebLogin } from './web-login'

export { onPhaseEnd } from '../diagnostics'
export { OUTCOMES, SocialLoginError } from '../errors'

// The build that package.json names for `workerd` and `browser`. Its types are those of index.ts.
export class SocialLogin extends WebLogin {
  constructor(options: SocialLoginOptions | MultiProviderSocialLoginOptions) {
    super(options, fetchNetwork)
  }

  override callback(request: Request, options: CallbackOptions): Promise<CallbackResult> {
    const result = super.callback(request, options)
    finishWithoutVisitor(result)
    return result
  }
}

// workerd ends what it does for a visitor who disconnects, unless it is told to wait. The login must go on: it holds a
// slot, and a second click waits for its result. The module is looked up at run time, because no other platform has it.
function finishWithoutVisitor(login: Promise<unknown>): void {
  const { waitUntil }: { waitUntil?: unknown } = Object(process.getBuiltinModule?.('cloudflare:workers'))
  if (typeof waitUntil === 'function') waitUntil(login.catch(() => {}))
}
