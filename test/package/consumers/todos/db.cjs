// In the place of sqlite3: what calls back later.
var users = []
var credentials = []
var todos = []

function later(cb, ...results) {
  setImmediate(cb, null, ...results)
}

exports.findUser = (id, cb) => later(cb, users[id - 1])
exports.createUser = (name, cb) => {
  var user = { id: users.length + 1, name }
  users.push(user)
  later(cb, user)
}
exports.findCredential = (provider, subject, cb) =>
  later(
    cb,
    credentials.find((each) => each.provider === provider && each.subject === subject),
  )
exports.findCredentials = (userId, cb) =>
  later(
    cb,
    credentials.filter((each) => each.userId === userId),
  )
exports.saveCredential = (credential, cb) => {
  if (!credentials.includes(credential)) credentials.push(credential)
  later(cb)
}
exports.addTodo = (todo, cb) => {
  todos.push(todo)
  later(cb)
}
exports.findTodos = (ownerId, cb) =>
  later(
    cb,
    todos.filter((each) => each.ownerId === ownerId),
  )
