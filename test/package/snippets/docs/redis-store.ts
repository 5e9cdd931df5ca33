// docs/recipes.md#a-store-of-your-own-redis, block 1
