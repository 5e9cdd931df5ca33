// For applications whose framework brings no session: one in a signed cookie, and the options of SocialLogin.
import { createHmac } from 'node:crypto'

/** @param provider what the driver has registered: `baseURL`, `clientID`, `clientSecret` */
export function optionsFor(provider, origin) {
  const keys = ['cookie-key-of-at-least-32-characters']
  return { ...provider, callbackURL: `${origin}/callback`, keys, failureRedirect: '/login' }
}

/** The same as variables of the environment. */
export function environmentFor({ baseURL, clientID, clientSecret }, origin) {
  return {
    SOCIAL_BASE_URL: baseURL,
    SOCIAL_CLIENT_ID: clientID,
    SOCIAL_CLIENT_SECRET: clientSecret,
    SOCIAL_CALLBACK_URL: `${origin}/callback`,
    LOGIN_COOKIE_KEY: 'cookie-key-of-at-least-32-characters',
  }
}

const sign = (text) => createHmac('sha256', 'session-secret').update(text).digest('base64url')

/** A value of `Set-Cookie` that signs a user in: by the provider and the id there, because names can be chosen. */
export function sessionOf({ provider, id, displayName }) {
  const value = Buffer.from(JSON.stringify({ user: `${provider}:${id}`, name: displayName })).toString('base64url')
  return `sid=${value}.${sign(value)}; Path=/; HttpOnly; SameSite=Lax`
}

/** The id of the user who is signed in, by the request's header `Cookie`. */
export function userIn(request) {
  return sessionIn(request)?.user
}

/** What pages call the user. */
export function nameIn(request) {
  return sessionIn(request)?.name
}

function sessionIn(request) {
  const [, value = '', signature] = /(?:^|; )sid=([\w-]+)\.([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  return signature === sign(value) ? JSON.parse(Buffer.from(value, 'base64url').toString()) : undefined
}
