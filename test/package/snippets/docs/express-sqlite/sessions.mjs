// docs/files/sqlite-sessions.mjs
