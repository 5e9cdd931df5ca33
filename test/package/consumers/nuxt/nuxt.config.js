// biome-ignore lint/style/noDefaultExport: Nuxt wants one.
export default { compatibilityDate: '2026-01-01', telemetry: false, nitro: { preset: 'node', serveStatic: true } }
