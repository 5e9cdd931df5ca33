// docs/files/express-sqlite.mjs
