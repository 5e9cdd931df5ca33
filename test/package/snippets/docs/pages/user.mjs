// docs/recipes.md#single-page-applications, block 2
