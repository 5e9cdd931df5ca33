// A type of the DOM, which the tests have not: the types of hono/cookie name it.
type BufferSource = ArrayBufferView | ArrayBuffer
