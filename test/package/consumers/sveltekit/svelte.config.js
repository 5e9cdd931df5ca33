import adapter from '@sveltejs/adapter-node'

// biome-ignore lint/style/noDefaultExport: SvelteKit wants one.
export default { kit: { adapter: adapter() } }
