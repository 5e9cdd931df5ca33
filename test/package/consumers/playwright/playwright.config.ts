// docs/guides/testing.md#playwright, block 1
