// docs/testing.md#with-jest, block 1
