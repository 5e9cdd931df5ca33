// biome-ignore-all lint/style/noDefaultExport: Bun, Deno and workerd serve it.
// docs/web.md#sociallogin, block 1

declare global {
  // Of the DOM: the types of hono/cookie name it.
  type BufferSource = ArrayBufferView | ArrayBuffer
}
