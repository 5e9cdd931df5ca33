// docs/files/sqlite-accounts.mjs
