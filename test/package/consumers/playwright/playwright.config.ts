// docs/guides/browser-tests.md#playwright, block 1
