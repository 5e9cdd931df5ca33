import { defineEventHandler, toWebRequest } from 'h3'
import { nameIn } from '../../session.mjs'

// biome-ignore lint/style/noDefaultExport: Nuxt wants one.
export default defineEventHandler((event) => {
  const name = nameIn(toWebRequest(event))
  return new Response(name ?? 'nobody', { status: name ? 200 : 401 })
})
