// docs/guides/redis-store.md#a-store-of-your-own-redis, block 1
