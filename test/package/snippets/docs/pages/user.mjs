// docs/guides/single-page.md#single-page-applications-and-popups, block 2
