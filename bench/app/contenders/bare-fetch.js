import { getRequestListener } from '@hono/node-server'
import { createLogin } from './bare.js'

/** The two bare calls behind Request and Response. */
export function createApp(settings) {
  const login = createLogin(settings)
  const location = `${settings.providerOrigin}/api/oauth?app_id=bench`
  return getRequestListener(async (request) => {
    if (request.url.endsWith('/ping')) return new Response('pong')
    const key = /auth_key=(k\d+)/.exec(request.url)?.[1]
    if (!key) return new Response(null, { status: 302, headers: { Location: location } })
    const { id } = await login(key)
    return new Response(id, { headers: { 'Set-Cookie': `user=${id}; Path=/; HttpOnly; SameSite=Lax` } })
  })
}
