// docs/files/sqlite-sessions.d.mts
