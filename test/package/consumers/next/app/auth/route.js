import { userIn } from '../../session.mjs'
import { socialLogin } from '../login.js'

// Quoted: next start
export function GET(request) {
  const returnTo = request.nextUrl.searchParams.get('next')
  return socialLogin().start(request, { user: userIn(request), returnTo })
}
// end
