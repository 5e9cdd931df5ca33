// docs/files/inert-form.mjs
