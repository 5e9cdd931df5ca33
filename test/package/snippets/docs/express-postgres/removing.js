exports.removing = (pool) => {
  // docs/guides/removing.md#removing-a-login-deleting-an-account, block 3

  return { removeLogin, deleteUser }
}
