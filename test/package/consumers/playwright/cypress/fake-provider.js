// docs/guides/testing.md#cypress, block 1
