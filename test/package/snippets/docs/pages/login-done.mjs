// docs/recipes.md#a-login-in-a-popup, block 2
