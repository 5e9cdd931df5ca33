// A dispatcher of the application's own undici. By its file, because Bun replaces the name by a stub.
const assert = require('node:assert/strict')
const { Agent: AgentByName } = require('undici')
const { Agent } = require('undici/index.js')
const { createServer } = require('./app.cjs')
const { play } = require('./driver.cjs')

if (process.versions.bun) {
  const provider = { baseURL: 'http://127.0.0.1/api/v1', clientID: 'id', clientSecret: 'secret' }
  assert.throws(() => createServer(provider, undefined, { dispatcher: new AgentByName() }), /Bun .* undici\/index\.js/)
} else {
  assert.equal(AgentByName, Agent)
}

play(async (provider, place) => {
  const dispatcher = new Agent()
  const server = createServer(provider, place, { dispatcher })
  return server.on('close', () => dispatcher.close())
})
