// docs/guides/single-page.md#a-login-in-a-popup, block 2
