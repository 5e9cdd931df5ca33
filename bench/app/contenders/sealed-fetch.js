import { getRequestListener } from '@hono/node-server'
import { createPendingLogin } from '../../../dist/lib/login/pending-login/pending-login.js'
import { SealedCookie } from '../../../dist/lib/login/pending-login/stores/sealed-cookie.js'
import { createLogin } from './bare.js'

const NAVIGATION = ['sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'referer']

/**
 * The two bare calls, a mark in a sealed cookie that the start sets and the callback opens and ends, the headers that tell a
 * navigation read, and two that keep the address private: what that costs any login without a session. It compares
 * nothing.
 */
export function createApp(settings) {
  const login = createLogin(settings)
  const cookie = new SealedCookie({ keys: ['a key of the bench, with 32 characters'] })
  const location = `${settings.providerOrigin}/api/oauth?app_id=bench`
  return getRequestListener(async (request) => {
    if (request.url.endsWith('/ping')) return new Response('pong')
    const key = /auth_key=(k\d+)/.exec(request.url)?.[1]
    for (const name of NAVIGATION) request.headers.get(name)
    if (!key)
      return new Response(null, { status: 302, headers: { Location: location, 'Set-Cookie': await seal(cookie) } })
    await cookie.open(request.headers.get('cookie') ?? '')
    const { id } = await login(key)
    const headers = new Headers({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
    headers.append('Set-Cookie', cookie.end())
    headers.append('Set-Cookie', `user=${id}; Path=/; HttpOnly; SameSite=Lax`)
    return new Response(id, { headers })
  })
}

function seal(cookie) {
  return cookie.seal(createPendingLogin({ strategyDigest: 'bench', user: undefined, startSite: undefined }))
}
