import { finish } from '../login.js'

export const prerender = false
export const GET = ({ request }) => finish(request)
