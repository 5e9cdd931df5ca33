import { defineEventHandler, toWebRequest } from 'h3'
import { finish } from '../utils/login.js'

// biome-ignore lint/style/noDefaultExport: Nuxt wants one.
export default defineEventHandler((event) => finish(toWebRequest(event)))
