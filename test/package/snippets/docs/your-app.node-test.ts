// docs/testing.md#with-nodetest, block 1
