// docs/files/redis-store.ts
