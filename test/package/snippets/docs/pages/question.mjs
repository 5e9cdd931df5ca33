// docs/guides/linking.md#linking-accounts-and-asking-first, block 3
