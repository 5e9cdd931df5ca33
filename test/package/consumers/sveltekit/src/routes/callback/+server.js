import { finish } from '$lib/server/login.js'

export const GET = ({ request }) => finish(request)
