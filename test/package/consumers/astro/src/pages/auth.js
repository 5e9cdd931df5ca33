import { start } from '../login.js'

export const prerender = false
export const GET = ({ request }) => start(request)
