import { getRequestListener } from '@hono/node-server'
import { SocialLogin } from '../../../dist/lib/web/index.js'

/** Our adapter for Request and Response on node:http, without a framework; who is signed in goes into a cookie. */
export function createApp({ providerOrigin, callbackURL }) {
  const login = new SocialLogin({
    baseURL: `${providerOrigin}/api/v1`,
    clientID: 'bench',
    clientSecret: 'secret',
    callbackURL,
    keys: ['a key of the bench, with 32 characters'],
  })
  return getRequestListener(async (request) => {
    if (request.url.endsWith('/ping')) return new Response('pong')
    if (request.url.endsWith('/login')) return login.start(request, { user: null })
    const result = await login.callback(request, { user: null })
    if (result.type !== 'success') return result.response
    const { profile, headers } = result
    headers.append('Set-Cookie', `user=${profile.id}; Path=/; HttpOnly; SameSite=Lax`)
    return new Response(profile.id, { headers })
  })
}
