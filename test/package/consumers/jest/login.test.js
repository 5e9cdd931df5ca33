// docs/guides/testing.md#in-the-process-of-the-test, block 1
