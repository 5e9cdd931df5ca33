import { nodeNetwork } from '../client/http/pools'
import type { MultiProviderSocialLoginOptions, SocialLoginOptions } from './options'
import { WebLogin } from './web-login'

/**
 * Signs users in through a provider that speaks the Social Login API, in any framework that speaks `Request` and
 * `Response`. Call `start` in the route that your login link leads to, and `callback` in that of the registered URL.
 * @example
 * const login = new SocialLogin({
 *   baseURL: 'https://social.example/api/v1',
 *   clientID,
 *   clientSecret,
 *   callbackURL: 'https://app.example/auth/callback',
 *   keys: [process.env['LOGIN_COOKIE_KEY'] ?? ''],
 * })
 */
export class SocialLogin extends WebLogin {
  /** @throws TypeError naming the invalid option, never its value */
  constructor(options: SocialLoginOptions | MultiProviderSocialLoginOptions) {
    super(options, nodeNetwork)
  }
}
