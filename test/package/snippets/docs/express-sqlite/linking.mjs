// docs/files/linking.mjs
