import adapter from '@sveltejs/adapter-cloudflare'

// biome-ignore lint/style/noDefaultExport: SvelteKit wants one.
export default { kit: { adapter: adapter() } }
