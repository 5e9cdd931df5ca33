import { reactRouter } from '@react-router/dev/vite'

// biome-ignore lint/style/noDefaultExport: Vite wants one.
export default { plugins: [reactRouter()] }
