import { setImmediate as nextTurn } from 'node:timers/promises'
import { Pool } from 'undici'

/**
 * The least that a login can be: two calls, one after the other, from a pool as large as ours. Between them one turn of
 * the event loop, without which undici would open a second connection.
 */
export function createLogin({ providerOrigin }) {
  const pool = new Pool(providerOrigin, { connections: 128 })
  return async (key) => {
    const exchange = await pool.request({
      method: 'POST',
      path: '/api/authorize',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `app_id=bench&app_secret=secret&auth_key=${key}`,
    })
    const { access_token: token } = await exchange.body.json()
    await nextTurn()
    const profile = await pool.request({
      method: 'GET',
      path: '/api/v1/user/me',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    })
    const { user_id: id } = await profile.body.json()
    return { id }
  }
}

/** No framework, no session. */
export function createApp(settings) {
  const login = createLogin(settings)
  const location = `${settings.providerOrigin}/api/oauth?app_id=bench`
  return async (req, res) => {
    if (req.url === '/ping') return res.end('pong')
    const key = /auth_key=(k\d+)/.exec(req.url)?.[1]
    if (!key) return res.writeHead(302, { Location: location }).end()
    const { id } = await login(key)
    res.end(id)
  }
}
