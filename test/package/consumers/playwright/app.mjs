// README.md#a-login-of-your-own, block 1
