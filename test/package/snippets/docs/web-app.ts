// biome-ignore-all lint/style/noDefaultExport: Bun, Deno and workerd serve it.
// docs/web.md#sociallogin, block 1
