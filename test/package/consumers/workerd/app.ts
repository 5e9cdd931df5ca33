// docs/web.md#sociallogin, block 1
