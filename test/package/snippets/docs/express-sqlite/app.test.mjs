// docs/files/express-sqlite.test.mjs
