// docs/files/sqlite-accounts.d.mts
