// docs/recipes.md#linking-accounts, block 3
