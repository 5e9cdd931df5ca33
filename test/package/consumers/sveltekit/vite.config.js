import { sveltekit } from '@sveltejs/kit/vite'

// biome-ignore lint/style/noDefaultExport: Vite wants one.
export default { plugins: [sveltekit()] }
