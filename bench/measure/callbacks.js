import { contenders } from '../app/contenders/index.js'
import { Application, cpuOf, rotated, roundsWithin } from '../bench.js'
import { inParallel } from '../load/browser.js'
import { emptySamples, mapValues, quantile, ratios, spread } from '../statistics.js'

const LOGINS = { 1: 300, 16: 300, 128: 384 }
const WARM_UP = 600

/**
 * CPU and rate of callbacks in the whole stack; and, by the way, what all these logins leave in memory. In each round
 * every contender has one slice per concurrency.
 */
export async function measureCallbacks(provider, { seconds }) {
  const names = Object.keys(contenders)
  const applications = await Promise.all(names.map((name) => Application.start(name, provider)))
  for (const application of applications) await slice(application, 16, WARM_UP)
  const grown = Object.fromEntries(names.map((name) => [name, { logins: 0 }]))
  for (const application of applications) grown[application.name].before = await application.ask('memory')

  const results = {}
  for (const concurrency of Object.keys(LOGINS)) {
    results[concurrency] = { cpu: emptySamples(names), rate: emptySamples(names) }
  }
  for (const round of roundsWithin(seconds)) {
    for (const [concurrency, logins] of Object.entries(LOGINS)) {
      for (const application of rotated(applications, round)) {
        const { cpu, seconds } = await slice(application, Number(concurrency), logins)
        results[concurrency].cpu[application.name].push(cpu / logins)
        results[concurrency].rate[application.name].push(logins / seconds)
        grown[application.name].logins += logins
      }
    }
  }
  for (const application of applications) {
    grown[application.name].after = await application.ask('memory')
    await application.stop()
  }
  return { callbacks: summary(results), stackMemory: memorySummary(grown) }
}

/** CPU and time of callbacks whose logins were started before. */
export async function slice(application, concurrency, logins) {
  const { browsers, provider, child } = application
  const started = await inParallel(new Array(logins).fill(0), 32, () => browsers.start())
  await provider.reset()
  await child.ask('collect')
  const result = await cpuOf(child, () => inParallel(started, concurrency, (login) => browsers.callback(login)))
  await application.check(logins)
  await child.ask('forgetSessions')
  return result
}

function summary(results) {
  return Object.fromEntries(
    Object.entries(results).map(([concurrency, { cpu, rate }]) => [
      concurrency,
      {
        cpuRatio: ratios(cpu, 'floor'),
        cpuOverBare: ratios(cpu, 'bare'),
        rateRatio: ratios(rate, 'floor'),
        rateOverOAuth2: ratios(rate, 'oauth2'),
        cpuOverOAuth2: ratios(cpu, 'oauth2'),
        // A disturbance only ever adds: the lower quartile is nearer to the truth than the mean.
        cpuMicroseconds: mapValues(cpu, (values) => quantile(values, 0.25)),
        rate: mapValues(rate, spread),
      },
    ]),
  )
}

function memorySummary(grown) {
  return mapValues(grown, ({ before, after, logins }) => ({
    logins,
    heapPer10000: ((after.heap - before.heap) / logins) * 10_000,
    heap: after.heap - before.heap,
    rss: after.rss - before.rss,
  }))
}
