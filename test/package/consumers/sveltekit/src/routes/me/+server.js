import { userIn } from '../../../session.mjs'

export function GET({ request }) {
  const user = userIn(request)
  return new Response(user ?? 'nobody', { status: user ? 200 : 401 })
}
