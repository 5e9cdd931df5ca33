const assert = require('node:assert/strict')
const { createServer } = require('./app.cjs')
const { play } = require('./driver.cjs')

for (const right of ['fs.write', 'child', 'worker', 'addon', 'wasi', 'inspector']) {
  assert.equal(process.permission.has(right), false, right)
}
assert.equal(process.permission.has('fs.read', '/etc/passwd'), false)

play(createServer)
