// docs/guides/testing.md#an-application-in-another-process, block 1
