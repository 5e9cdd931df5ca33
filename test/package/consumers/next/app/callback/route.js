import { sessionOf, userIn } from '../../session.mjs'
import { socialLogin } from '../login.js'

// Quoted: next callback
export async function GET(request) {
  const result = await socialLogin().callback(request, { user: userIn(request) })
  if (result.type !== 'success') return result.response
  const { profile, info, headers } = result
  headers.append('Set-Cookie', sessionOf(profile))
  headers.set('Location', info.returnTo ?? '/me')
  return new Response(null, { status: 302, headers })
}
// end
