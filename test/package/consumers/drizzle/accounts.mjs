// docs/files/drizzle-accounts.mjs
