import { defineEventHandler, toWebRequest } from 'h3'
import { start } from '../utils/login.js'

// biome-ignore lint/style/noDefaultExport: Nuxt wants one.
export default defineEventHandler((event) => start(toWebRequest(event)))
