// docs/testing.md#testing-your-application, block 1
