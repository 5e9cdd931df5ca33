import { finish } from '../login.js'

export const loader = ({ request }) => finish(request)
