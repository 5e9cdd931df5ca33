import { getRequestListener } from '@hono/node-server'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { createAuthMiddleware } from 'better-auth/api'
import { genericOAuth } from 'better-auth/plugins'

const ID_HEADER = 'bench-id'

/** better-auth without a framework; what it stores at each login (user, account, session, state) is in memory. */
export function createApp({ providerOrigin, origin }) {
  const store = createStore()
  const auth = betterAuth({
    baseURL: origin,
    secret: 'a key of the bench, with 32 characters',
    database: store.database,
    // All browsers of the bench have one address: they would be refused.
    rateLimit: { enabled: false },
    plugins: [genericOAuth({ config: [socialProvider(providerOrigin)] })],
    hooks: { after: createAuthMiddleware(tellWhoIsSignedIn) },
  })
  const listener = getRequestListener(async (request) => {
    if (request.url.endsWith('/ping')) return new Response('pong')
    const response = await auth.handler(request)
    const id = response.headers.get(ID_HEADER)
    // Where it would redirect, the others answer with the id.
    return id ? new Response(id, { headers: response.headers }) : response
  })
  return { listener, sessions: store }
}

/**
 * better-auth's own store in memory, but without its transactions: they copy the whole store twice for each new user,
 * which no database does, and which takes more CPU than the login itself.
 */
function createStore() {
  const tables = {}
  const clear = () => Object.assign(tables, { user: [], account: [], session: [], verification: [] })
  clear()
  const database = (options) => {
    const adapter = memoryAdapter(tables)(options)
    return { ...adapter, transaction: (work) => work(adapter) }
  }
  return { database, clear }
}

function socialProvider(providerOrigin) {
  return {
    providerId: 'social',
    clientId: 'bench',
    clientSecret: 'secret',
    authorizationUrl: `${providerOrigin}/api/oauth`,
    tokenUrl: `${providerOrigin}/api/authorize`,
    userInfoUrl: `${providerOrigin}/api/v1/user/me`,
    accountSubject: ({ profile }) => profile.user_id,
    // It refuses a second user with the same address, and the bench's provider has one address for all.
    mapProfileToUser: ({ user_id, user_name, user_picture }) => ({
      name: user_name,
      email: `${user_id}@example.org`,
      image: user_picture,
    }),
  }
}

async function tellWhoIsSignedIn(ctx) {
  const { newSession } = ctx.context
  if (newSession) ctx.setHeader(ID_HEADER, newSession.user.email.split('@')[0])
}
