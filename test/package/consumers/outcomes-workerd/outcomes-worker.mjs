import { respond } from './app.mjs'

// biome-ignore lint/style/noDefaultExport: workerd wants one.
export default { fetch: respond }
