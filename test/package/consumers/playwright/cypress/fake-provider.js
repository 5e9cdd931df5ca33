// docs/guides/browser-tests.md#cypress, block 1
