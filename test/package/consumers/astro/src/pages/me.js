import { nameIn } from '../../session.mjs'

export const prerender = false

export function GET({ request }) {
  const name = nameIn(request)
  return new Response(name ?? 'nobody', { status: name ? 200 : 401 })
}
