// docs/files/durable-object.mjs
