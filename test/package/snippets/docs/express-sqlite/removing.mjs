// docs/guides/removing.md#removing-a-login-deleting-an-account, block 2

export { accounts, deleteUser, removeLogin, sessions }
