// docs/guides/testing.md#a-function-createapp, block 1
