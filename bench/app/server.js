// The application under test: one contender behind node:http, in its own process.
import { createServer } from 'node:http'
import { serveCommands } from './commands.js'
import { contender } from './contenders/index.js'
import { createStack } from './stack.js'

const [name, providerOrigin, overrides = '{}'] = process.argv.slice(2)
const { module, options, callbackPath } = contender(name)

const server = createServer({ keepAliveTimeout: 120_000 })
await new Promise((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
const origin = `http://127.0.0.1:${server.address().port}`
const settings = { providerOrigin, origin, callbackURL: origin + callbackPath, ...options, ...JSON.parse(overrides) }

const { createApp, createStrategy } = await import(`./contenders/${module}`)
const app = createApp ? createApp(settings) : createStack(createStrategy(settings))
const { listener, sessions } = typeof app === 'function' ? { listener: app } : app
server.on('request', listener)

serveCommands({
  origin: () => origin,
  cpu: () => process.cpuUsage(),
  collect: () => global.gc?.(),
  forgetSessions: () => sessions?.clear(),
})
