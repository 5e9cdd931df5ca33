import { Pool } from 'undici'
import { Application, sleep } from '../bench.js'
import { inParallel } from '../load/browser.js'
import { quantile } from '../statistics.js'

const CALLBACKS = 2000
// About as many as the application serves while the provider is well. At twice as many the processor is full: see README.md.
const CALLBACKS_PER_SECOND = 1000
const BULKHEAD = 128
const WATCH_SECONDS = 3
const NAMES = ['oauth2', 'ours']

/** A provider that accepts and never answers, 2,000 callbacks within two seconds, and requests to an unrelated route. */
export async function measureStall(provider) {
  const results = {}
  for (const name of NAMES) results[name] = await stall(name, provider)
  return { callbacks: CALLBACKS, bulkhead: BULKHEAD, contenders: results }
}

async function stall(name, provider) {
  // The deadline is shortened so that what happens when it passes is seen, too.
  const overrides = name === 'ours' ? { timeout: 2500, maxConcurrentLogins: BULKHEAD } : {}
  const application = await Application.start(name, provider, { connections: CALLBACKS, overrides })
  const { browsers } = application
  const started = await inParallel(new Array(CALLBACKS).fill(0), 32, () => browsers.start())
  for (const login of await inParallel(new Array(300).fill(0), 32, () => browsers.start())) {
    await browsers.callback(login)
  }
  await application.provider.reset()
  await application.provider.hang(true)

  const statuses = {}
  const pings = watchPing(application.origin)
  for (const [i, login] of started.entries()) {
    browsers.tryCallback(login).then(
      (status) => {
        statuses[status] = (statuses[status] ?? 0) + 1
      },
      () => {},
    )
    if (i % 10 === 9) await sleep(10 / CALLBACKS_PER_SECOND)
  }
  await sleep(WATCH_SECONDS)
  const milliseconds = await pings.stop()
  const { connections } = await application.provider.counts()
  const afterwards = await recovers(application)
  await application.stop()
  return {
    connections,
    statuses,
    pingP50: quantile(milliseconds, 0.5),
    pingP99: quantile(milliseconds, 0.99),
    afterwards,
  }
}

/** Whether a login works within a second of the provider's recovery. */
async function recovers({ provider, browsers }) {
  await provider.hang(false)
  const outcome = browsers.start().then((login) => browsers.callback(login))
  return await Promise.race([
    outcome.then(
      () => 'works',
      () => 'fails',
    ),
    sleep(1).then(() => 'waits'),
  ])
}

/** Asks for /ping every 10 ms, on its own connections. */
function watchPing(origin) {
  const pool = new Pool(origin, { connections: 64 })
  const milliseconds = []
  const underWay = new Set()
  const ping = async () => {
    const startedAt = performance.now()
    const { body } = await pool.request({ method: 'GET', path: '/ping' })
    await body.dump()
    milliseconds.push(performance.now() - startedAt)
  }
  const timer = setInterval(() => {
    const asked = ping().finally(() => underWay.delete(asked))
    underWay.add(asked)
  }, 10)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      await pool.close()
      return milliseconds
    },
  }
}
