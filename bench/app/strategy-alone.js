// A strategy alone: no Express, no server, a stub of request, response and session.
import { ServerResponse } from 'node:http'
import { serveCommands } from './commands.js'
import { createLogin } from './contenders/bare.js'
import { contender } from './contenders/index.js'

const [name, providerOrigin] = process.argv.slice(2)
const { module, options, keyParameter } = contender(name)
const origin = 'http://127.0.0.1:3000'
const settings = { providerOrigin, origin, callbackURL: `${origin}/callback`, ...options }

const BROWSER = { host: '127.0.0.1:3000', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

function stubRequest(url, headers, session) {
  const query = Object.fromEntries(new URLSearchParams(url.split('?')[1]))
  const basics = { method: 'GET', url, originalUrl: url, protocol: 'http', host: BROWSER.host }
  const req = { ...basics, query, headers: { ...BROWSER, ...headers }, session }
  return Object.assign(req, { res: new ServerResponse(req) })
}

/** What Passport does with a strategy: an object of its own for each request. */
function authenticate(strategy, req) {
  return new Promise((resolve, reject) => {
    const attempt = Object.create(strategy)
    attempt.success = resolve
    attempt.redirect = resolve
    attempt.error = reject
    attempt.fail = (challenge, status) => reject(new Error(`failed: ${status} ${JSON.stringify(challenge)}`))
    attempt.pass = () => reject(new Error('passed'))
    attempt.authenticate(req, {})
  })
}

async function createAlone() {
  if (name === 'bare') {
    const login = createLogin(settings)
    return { start: async (key) => key, finish: login }
  }
  const { createStrategy } = await import(`./contenders/${module}`)
  const strategy = createStrategy(settings)
  return {
    async start(key) {
      const session = {}
      const req = stubRequest('/login', { 'sec-fetch-site': 'same-origin' }, session)
      const location = await authenticate(strategy, req)
      const cookie = [req.res.getHeader('set-cookie') ?? []].flat().map((line) => line.split(';', 1)[0])
      const state = new URL(location).searchParams.get('state')
      const url = `/callback?${keyParameter}=${key}${state ? `&state=${state}` : ''}`
      return stubRequest(url, { 'sec-fetch-site': 'cross-site', cookie: cookie.join('; ') }, session)
    },
    finish: (req) => authenticate(strategy, req),
    /** A start that nobody comes back from. */
    abandon: () => authenticate(strategy, stubRequest('/login', { 'sec-fetch-site': 'same-origin' }, {})),
  }
}

const alone = await createAlone()
let lastKey = 0

async function inParallel(items, concurrency, work) {
  let next = 0
  const worker = async () => {
    while (next < items.length) await work(items[next++])
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}

async function login(key) {
  const { id } = await alone.finish(await alone.start(key))
  if (key !== `k${id}`) throw new Error(`the wrong person: ${id} for ${key}`)
}

const newKeys = (count) => Array.from({ length: count }, () => `k${++lastKey}`)

serveCommands({
  /** CPU microseconds per login, from the callback to Passport's success. */
  async slice({ logins, concurrency }) {
    const prepared = []
    for (const key of newKeys(logins)) prepared.push({ key, req: await alone.start(key) })
    global.gc()
    const before = process.cpuUsage()
    await inParallel(prepared, concurrency, async ({ key, req }) => {
      const { id } = await alone.finish(req)
      if (key !== `k${id}`) throw new Error(`the wrong person: ${id} for ${key}`)
    })
    const { user, system } = process.cpuUsage(before)
    return (user + system) / logins
  },
  /** Heap bytes in use after logins whose sessions are gone. */
  async heapAfterLogins(logins) {
    await inParallel(newKeys(logins), 16, login)
    return await heap()
  },
  /** Heap bytes in use after starts that nobody came back from. */
  async heapAfterStarts(starts) {
    await inParallel(new Array(starts).fill(0), 16, alone.abandon)
    return await heap()
  },
})

async function heap() {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    global.gc()
  }
  return process.memoryUsage().heapUsed
}
