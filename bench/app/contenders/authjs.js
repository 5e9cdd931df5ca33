import { Auth } from '@auth/core'
import { getRequestListener } from '@hono/node-server'

/** Auth.js without a framework and without a database: a login under way and the session are sealed cookies. */
export function createApp({ providerOrigin }) {
  const social = {
    id: 'social',
    name: 'Social',
    type: 'oauth',
    clientId: 'bench',
    clientSecret: 'secret',
    client: { token_endpoint_auth_method: 'client_secret_post' },
    authorization: `${providerOrigin}/api/oauth`,
    token: `${providerOrigin}/api/authorize`,
    userinfo: `${providerOrigin}/api/v1/user/me`,
    profile: ({ user_id, user_name, user_email, user_picture }) => ({
      id: user_id,
      name: user_name,
      email: user_email,
      image: user_picture,
    }),
  }
  const config = { providers: [social], secret: 'a key of the bench, with 32 characters', trustHost: true }
  return getRequestListener(async (request) => {
    if (request.url.endsWith('/ping')) return new Response('pong')
    let id
    const signIn = ({ account }) => {
      id = account.providerAccountId
    }
    const response = await Auth(request, { ...config, events: { signIn } })
    // Where it would redirect, the others answer with the id.
    return id ? new Response(id, { headers: response.headers }) : response
  })
}
