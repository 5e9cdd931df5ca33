import { contenders } from '../app/contenders/index.js'
import { cpuOf } from '../bench.js'
import { inGenerations } from '../generations.js'
import { inParallel } from '../load/browser.js'
import { emptySamples, mapValues, quantile, ratios, spread } from '../statistics.js'

const LOGINS = { 1: 300, 16: 300, 128: 384 }

/**
 * CPU and rate of callbacks in the whole stack; and, by the way, what all these logins leave in memory. In each round
 * every contender has one slice per concurrency.
 */
export async function measureCallbacks(provider, { seconds }) {
  const names = Object.keys(contenders)
  const results = {}
  for (const concurrency of Object.keys(LOGINS)) {
    results[concurrency] = { cpu: emptySamples(names), rate: emptySamples(names) }
  }
  const grown = Object.fromEntries(names.map((name) => [name, { logins: 0, heap: 0, rss: 0 }]))
  const warmUp = (application) => slice(application, 16, 300)
  const weigh = (sign) => async (application) => {
    const { heap, rss } = await application.ask('memory')
    grown[application.name].heap += sign * heap
    grown[application.name].rss += sign * rss
  }
  const options = { seconds, warmUp, onReady: weigh(-1), onEnd: weigh(1) }
  await inGenerations(names, provider, options, async (applications) => {
    for (const [concurrency, logins] of Object.entries(LOGINS)) {
      for (const application of applications) {
        const { cpu, seconds } = await slice(application, Number(concurrency), logins)
        results[concurrency].cpu[application.name].push(cpu / logins)
        results[concurrency].rate[application.name].push(logins / seconds)
        grown[application.name].logins += logins
      }
    }
  })
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
  return mapValues(grown, ({ heap, rss, logins }) => ({ logins, heapPer10000: (heap / logins) * 10_000, heap, rss }))
}
