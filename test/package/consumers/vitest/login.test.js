// docs/testing.md#with-vitest, block 1
