// docs/guides/express-postgres.md#express-with-postgres-accounts-and-sessions, block 1
