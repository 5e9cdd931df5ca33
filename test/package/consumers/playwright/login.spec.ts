// docs/guides/testing.md#playwright, block 2
