import { nameIn } from '../../session.mjs'

export function loader({ request }) {
  const name = nameIn(request)
  return new Response(name ?? 'nobody', { status: name ? 200 : 401 })
}
