import { socialLogin } from '$lib/server/login.js'
import { userIn } from '../../../session.mjs'

// Quoted: sveltekit start
export function GET({ request, url }) {
  return socialLogin().start(request, { user: userIn(request), returnTo: url.searchParams.get('next') })
}
// end
