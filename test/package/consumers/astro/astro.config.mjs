import node from '@astrojs/node'

// biome-ignore lint/style/noDefaultExport: Astro wants one.
export default { adapter: node({ mode: 'middleware' }), prefetch: { prefetchAll: true } }
