import { SocialLogin } from 'passport-social-login/web'

// Quoted: next login
let instance

// Not at the top level: `next build` loads the routes, without the variables of production.
export function socialLogin() {
  instance ??= new SocialLogin({
    baseURL: process.env.SOCIAL_BASE_URL,
    clientID: process.env.SOCIAL_CLIENT_ID,
    clientSecret: process.env.SOCIAL_CLIENT_SECRET,
    callbackURL: process.env.SOCIAL_CALLBACK_URL,
    keys: [process.env.LOGIN_COOKIE_KEY],
    failureRedirect: '/login',
    successRedirect: '/me',
  })
  return instance
}
// end
