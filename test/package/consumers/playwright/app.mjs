// docs/files/app.mjs
