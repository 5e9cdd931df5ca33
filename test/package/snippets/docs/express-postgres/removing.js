exports.removing = (pool) => {
  // docs/guides/removing.md#removing-a-login-deleting-an-account, block 2

  return { removeLogin, deleteUser }
}
