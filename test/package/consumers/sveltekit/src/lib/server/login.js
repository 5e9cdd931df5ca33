import { SocialLogin } from 'passport-social-login/web'
import { env } from '$env/dynamic/private'
import { sessionOf, userIn } from '../../../session.mjs'

let instance

// Not at the top level: the build loads the routes, without the variables of production.
function socialLogin() {
  instance ??= new SocialLogin({
    baseURL: env.SOCIAL_BASE_URL,
    clientID: env.SOCIAL_CLIENT_ID,
    clientSecret: env.SOCIAL_CLIENT_SECRET,
    callbackURL: env.SOCIAL_CALLBACK_URL,
    keys: [env.LOGIN_COOKIE_KEY],
    failureRedirect: '/login',
  })
  return instance
}

// docs/web.md#next-sveltekit-or-no-framework, block 2

export { finish, start }
