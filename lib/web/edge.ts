import { fetchNetwork } from '../client/http/fetch'
import type { MultiProviderSocialLoginOptions, SocialLoginOptions } from './options'
import { WebLogin } from './web-login'

export { OUTCOMES, SocialLoginError } from '../errors'

// The build that package.json names for `workerd` and `browser`. Its types are those of index.ts.
export class SocialLogin extends WebLogin {
  constructor(options: SocialLoginOptions | MultiProviderSocialLoginOptions) {
    super(options, fetchNetwork)
  }
}
