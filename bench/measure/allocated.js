import { Application } from '../bench.js'
import { inParallel } from '../load/browser.js'
import { mapValues, median } from '../statistics.js'

const NAMES = [
  ...['bare', 'floor', 'unmarked', 'oauth2', 'openid', 'grant', 'ours', 'cookie', 'legacy'],
  ...['bareFetch', 'sealedFetch', 'web'],
]
const CONCURRENCY = 16
const LOGINS = 400
const WARM_UP = 2000

// A young generation, in MB, that all logins of a round fit into: nothing is collected while they are counted.
const SEMI_SPACE = 128
const NODE_OPTIONS = ['--expose-gc', `--min-semi-space-size=${SEMI_SPACE}`, `--max-semi-space-size=${SEMI_SPACE}`]

/** Bytes of heap that one callback allocates, in the whole stack: much steadier than the time it takes. */
export async function measureAllocated(provider, { rounds }) {
  const bytes = {}
  for (const name of NAMES) {
    const application = await Application.start(name, provider, { nodeOptions: NODE_OPTIONS })
    await allocatedBy(application, WARM_UP)
    bytes[name] = []
    for (let round = 0; round < rounds; round++) bytes[name].push((await allocatedBy(application, LOGINS)) / LOGINS)
    await application.stop()
  }
  return mapValues(bytes, (values) => ({
    bytes: median(values),
    least: Math.min(...values),
    most: Math.max(...values),
  }))
}

async function allocatedBy(application, logins) {
  const { browsers } = application
  const started = await inParallel(new Array(logins).fill(0), CONCURRENCY, () => browsers.start())
  await application.provider.reset()
  await application.ask('collect')
  const before = await application.ask('heapUsed')
  await inParallel(started, CONCURRENCY, (login) => browsers.callback(login))
  const allocated = (await application.ask('heapUsed')) - before
  await application.check(logins)
  await application.ask('forgetSessions')
  return allocated
}
