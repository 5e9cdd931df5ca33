// In the place of a Mongoose model: documents with `_id`, `id` and `save`, and queries that call back or can be awaited.
const { randomBytes } = require('node:crypto')

const documents = new Map()

function answer(value, callback) {
  if (!callback) return Promise.resolve(value)
  setImmediate(callback, null, value)
}

const stored = (document) => document && new User(structuredClone(document))

class User {
  constructor(fields) {
    this._id = randomBytes(12)
    this.profile = {}
    this.tokens = []
    Object.assign(this, fields)
  }

  // On the prototype, as in Mongoose.
  get id() {
    return Buffer.from(this._id).toString('hex')
  }

  comparePassword(candidate, callback) {
    setImmediate(callback, null, this.password === candidate)
  }

  save(callback) {
    documents.set(this.id, structuredClone({ ...this }))
    return answer(this, callback)
  }

  static findById(id, callback) {
    return answer(stored(documents.get(id)), callback)
  }

  static findOne(query, callback) {
    const matches = (document) => Object.entries(query).every(([name, value]) => document[name] === value)
    return answer(stored([...documents.values()].find(matches)), callback)
  }
}

module.exports = User
