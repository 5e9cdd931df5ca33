const { createServer } = require('./app.cjs')
const { play } = require('./driver.cjs')

play(createServer)
