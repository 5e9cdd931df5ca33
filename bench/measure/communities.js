import { Application, rotated, roundsWithin, sleep } from '../bench.js'
import { addressOf, COMMUNITIES, communityName } from '../communities.js'
import { inParallel } from '../load/browser.js'
import { emptySamples, mapValues, quantile, ratios } from '../statistics.js'
import { slice } from './callbacks.js'

const CONCURRENCY = 16
const CALLBACKS = 300
const WARM_UP = 600

// Not a neighbour of the one before, and every community once before any comes again.
const STEP = 7919

const LOGINS_PER_SECOND = 100
// Long enough for a major garbage collection in each round: the p99 depends on those, so the median of the rounds' p99 is reported.
const WATCH_SECONDS = 10
const TIMEOUT_MS = 3000
// Of an address that others share.
const HANGING_SITE = 1
const BULKHEAD = 128
// More logins than BULKHEAD arrive within TIMEOUT_MS, so all slots are taken while the community hangs.
const HANGING_PER_SECOND = 50
const SETTLE_SECONDS = TIMEOUT_MS / 1000 + 1

/** What it costs to find the community of each login, and whether thousands of communities keep out of each other's way. */
export async function measureCommunities(provider, { seconds, logins, rounds }) {
  return {
    cpu: await measureCPU(provider, seconds),
    logins: await measureLogins(provider, logins),
    hanging: await measureHanging(provider, rounds),
  }
}

/** CPU of a callback that finds its community, beside one of a fixed community, in turns. */
async function measureCPU(provider, seconds) {
  const names = ['ours', 'communities', 'asyncCommunities']
  const applications = await Promise.all(names.map((name) => Application.start(name, provider)))
  for (const application of applications) await slice(application, CONCURRENCY, WARM_UP)
  const cpu = emptySamples(names)
  for (const round of roundsWithin(seconds)) {
    for (const application of rotated(applications, round)) {
      const { cpu: microseconds } = await slice(application, CONCURRENCY, CALLBACKS)
      cpu[application.name].push(microseconds / CALLBACKS)
    }
  }
  for (const application of applications) await application.stop()
  return { ratio: ratios(cpu, 'ours'), cpuMicroseconds: mapValues(cpu, (values) => quantile(values, 0.25)) }
}

/** Logins at all communities: whether each brings its own person, and what they leave. */
async function measureLogins(provider, count) {
  const people = newPeople()
  const application = await startManyCommunities(provider)
  const { browsers } = application
  const logIn = async () => browsers.callback(await browsers.start(people.next()))
  await inParallel(new Array(WARM_UP).fill(0), CONCURRENCY, logIn)
  await application.provider.reset()
  const before = await application.ask('memory')
  let failed = 0
  await inParallel(new Array(count).fill(0), CONCURRENCY, () => logIn().catch(() => failed++))
  const after = await application.ask('memory')
  const { logins, wrong, misdirected, open, mostOpen: most } = await application.provider.counts()
  await application.stop()
  const origins = new Set(Array.from({ length: COMMUNITIES }, (_, index) => addressOf(index))).size
  return { communities: COMMUNITIES, origins, logins, wrong: failed + wrong + misdirected, before, after, open, most }
}

/** How long callbacks of other communities take before one hangs, and meanwhile, in turns. The same logins arrive in both. */
async function measureHanging(provider, rounds) {
  const application = await startManyCommunities(provider, { timeout: TIMEOUT_MS, maxConcurrentLogins: BULKHEAD })
  const people = newPeople()
  const milliseconds = { before: [], during: [] }
  const others = visitHangingCommunity(application, people)
  // The first round, whose errors are the first of the process, warms up.
  for (let round = 0; round <= rounds; round++) {
    const before = await watch(application, people)
    await application.provider.hang(communityName(HANGING_SITE))
    await sleep(SETTLE_SECONDS)
    const during = await watch(application, people)
    await application.provider.hang(false)
    await sleep(SETTLE_SECONDS)
    if (round > 0) {
      milliseconds.before.push(before)
      milliseconds.during.push(during)
    }
  }
  await others.stop()
  await application.stop()
  return mapValues(milliseconds, (ofRounds) => {
    const medianOf = (q) =>
      quantile(
        ofRounds.map((values) => quantile(values, q)),
        0.5,
      )
    return { p50: medianOf(0.5), p99: medianOf(0.99), n: ofRounds.flat().length }
  })
}

const startManyCommunities = (provider, overrides) =>
  Application.start('manyCommunities', provider, {
    providerOptions: { manyCommunities: true },
    connections: 512,
    overrides,
  })

/** Milliseconds of callbacks at a steady rate, at all communities but the one that hangs. */
async function watch({ browsers }, people) {
  const milliseconds = []
  const logIn = async () => {
    const login = await browsers.start(people.next())
    const startedAt = performance.now()
    await browsers.callback(login)
    milliseconds.push(performance.now() - startedAt)
  }
  const underWay = []
  for (let i = 0; i < LOGINS_PER_SECOND * WATCH_SECONDS; i++) {
    underWay.push(logIn())
    await sleep(1 / LOGINS_PER_SECOND)
  }
  await Promise.all(underWay)
  return milliseconds
}

/** Logins at the community that hangs at times, at a steady rate. */
function visitHangingCommunity({ browsers }, people) {
  const underWay = new Set()
  const logIn = async () => browsers.tryCallback(await browsers.start(people.at(HANGING_SITE)))
  const timer = setInterval(() => {
    const login = logIn().finally(() => underWay.delete(login))
    underWay.add(login)
  }, 1000 / HANGING_PER_SECOND)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
    },
  }
}

/** People of the communities, each with a number that tells its community. */
function newPeople() {
  let last = 0
  const at = (index) => ({ community: communityName(index), id: String(++last * COMMUNITIES + index) })
  return {
    at,
    next() {
      const index = (last * STEP) % COMMUNITIES
      return at(index === HANGING_SITE ? index + 1 : index)
    },
  }
}
