// docs/files/opentelemetry.mjs
