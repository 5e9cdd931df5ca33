import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Application, sleep } from '../bench.js'
import { emptySamples, mapValues, median } from '../statistics.js'

const ROUND_TRIP_MS = 40
// How long a provider keeps an idle connection, and whether it says so: as nginx and as Apache do by default.
const PROVIDERS = { keeps75: { keepAliveSeconds: 75, announced: false }, keeps5: { keepAliveSeconds: 5 } }
const NAMES = ['bare', 'oauth2', 'openid', 'grant', 'ours', 'cookie', 'web', 'authjs', 'betterAuth']
// A user sees the provider's page at least this long, even if it redirects without asking.
const SHORT_THINK = 0.2
// After the first login ever it is the provider's distance that is measured, not how cold the code is.
const WARM_UP = 20

/**
 * Round trips of one isolated login over TLS, from the callback to its answer, and the connections it opened. The
 * contenders' logins take turns, so that none waits for another's CPU; they share the time of the pauses.
 *
 * @param {{ samples: number, longIdle: boolean }} options
 */
export async function measureRoundTrips(provider, { samples, longIdle }) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const certificate = createCertificate(folder)
    const results = mapValues(PROVIDERS, () => scenarios(longIdle))
    const runs = Object.keys(PROVIDERS).flatMap((kind) => new Array(samples).fill(kind))
    // All of them wait at the same time; while one is measured, none of the others does anything.
    const turns = createTurns()
    // Of those yet to be born only one waits for its turn: the callback of another never waits behind all of them.
    const births = createTurns()
    const all = runs.flatMap((kind) =>
      NAMES.map((name) => {
        const options = {
          providerOptions: PROVIDERS[kind],
          certificate,
          results: results[kind],
          longIdle,
          turns,
          births,
        }
        return oneLife(provider, name, options)
      }),
    )
    await Promise.all(all)
    return { roundTripMs: ROUND_TRIP_MS, providers: mapValues(results, (result) => mapValues(result, summary)) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const scenarios = (longIdle) => ({
  first: emptyScenario(),
  idle02: emptyScenario(),
  idle30: emptyScenario(),
  ...(longIdle && { idle90: emptyScenario() }),
})

const emptyScenario = () => ({ roundTrips: emptySamples(NAMES), connections: emptySamples(NAMES) })

const summary = ({ roundTrips, connections }) =>
  mapValues(roundTrips, (values, name) => ({
    roundTrips: median(values),
    connections: median(connections[name]),
  }))

/** The life of one application: its first login, one immediately afterwards, and logins after long pauses. */
async function oneLife(provider, name, { providerOptions, certificate, results, longIdle, turns, births }) {
  const keep = (scenario, { roundTrips, connections }) => {
    results[scenario].roundTrips[name].push(roundTrips)
    results[scenario].connections[name].push(connections)
  }
  const bear = async () => {
    const application = await Application.start(name, provider, {
      providerOptions: { ...providerOptions, tls: certificate.pair, roundTripMs: ROUND_TRIP_MS },
      env: { NODE_EXTRA_CA_CERTS: certificate.file },
      connections: 4,
    })
    keep('first', await isolatedLogin(application, SHORT_THINK, IN_TURN))
    return application
  }
  const application = await births.alone(() => turns.alone(bear))
  const { browsers } = application
  const login = async () => browsers.callback(await browsers.start())
  for (let i = 0; i < WARM_UP; i++) await turns.beside(login)
  await sleep(0.2)
  keep('idle02', await isolatedLogin(application, SHORT_THINK, turns))
  await sleep(30)
  keep('idle30', await isolatedLogin(application, 3, turns))
  if (longIdle) {
    await sleep(90)
    keep('idle90', await isolatedLogin(application, 10, turns))
  }
  await turns.alone(() => application.stop())
}

async function isolatedLogin(application, think, { alone, beside }) {
  const { browsers, provider } = application
  await provider.reset()
  const login = await beside(() => browsers.start())
  await sleep(think)
  const milliseconds = await alone(async () => {
    // The previous turn's code may still be compiling.
    await sleep(0.1)
    const startedAt = performance.now()
    await browsers.callback(login)
    return performance.now() - startedAt
  })
  await application.check(1)
  return { roundTrips: milliseconds / ROUND_TRIP_MS, connections: (await provider.counts()).connections }
}

/**
 * `alone` runs works one after the other, in the order in which they were asked for, and none `beside` them; works
 * `beside` each other run at the same time.
 */
function createTurns() {
  let last = Promise.resolve()
  const underWay = new Set()
  return {
    alone(work) {
      const turn = Promise.all([last, ...underWay]).then(work)
      last = turn.catch(() => {})
      return turn
    },
    beside(work) {
      const turn = last.then(work)
      const ended = turn.catch(() => {}).then(() => underWay.delete(ended))
      underWay.add(ended)
      return turn
    },
  }
}

/** For who has the turn already. */
const IN_TURN = { alone: (work) => work(), beside: (work) => work() }

/** A certificate of `localhost` for this run. */
function createCertificate(folder) {
  const file = join(folder, 'certificate.pem')
  const keyFile = join(folder, 'key.pem')
  const request = ['req', '-x509', '-nodes', '-days', '1', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1']
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', [...request, ...subject, '-keyout', keyFile, '-out', file], { stdio: 'ignore' })
  return { file, pair: { cert: readFileSync(file, 'utf8'), key: readFileSync(keyFile, 'utf8') } }
}
