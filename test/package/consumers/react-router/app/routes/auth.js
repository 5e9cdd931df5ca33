import { start } from '../login.js'

export const loader = ({ request }) => start(request)
