import { start } from '$lib/server/login.js'

export const GET = ({ request }) => start(request)
