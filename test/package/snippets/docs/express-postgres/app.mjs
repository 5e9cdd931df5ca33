// docs/files/express-postgres.mjs
