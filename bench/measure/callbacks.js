import { contenders } from '../app/contenders/index.js'
import { cpuOf } from '../bench.js'
import { inGenerations } from '../generations.js'
import { inParallel } from '../load/browser.js'
import { emptySamples, mapValues, ratios, spread } from '../statistics.js'

const LOGINS = { 1: 300, 16: 300, 128: 384 }

/** CPU and rate of callbacks in the whole stack. In each round every contender has one slice per concurrency. */
export async function measureCallbacks(provider, { seconds }) {
  const names = Object.keys(contenders)
  const samples = mapValues(LOGINS, () => ({ cpu: emptySamples(names), rate: emptySamples(names) }))
  const warmUp = (application) => slice(application, 16, 300)
  await inGenerations(names, provider, { seconds, warmUp }, async (applications) => {
    for (const [concurrency, logins] of Object.entries(LOGINS)) {
      for (const application of applications) {
        const { cpu, seconds } = await slice(application, Number(concurrency), logins)
        samples[concurrency].cpu[application.name].push(cpu / logins)
        samples[concurrency].rate[application.name].push(logins / seconds)
      }
    }
  })
  return mapValues(samples, ({ cpu, rate }) => ({
    cpuOverOAuth2: ratios(cpu, 'oauth2'),
    cpuOverBare: ratios(cpu, 'bare'),
    loginsPerSecond: mapValues(rate, spread),
  }))
}

/** CPU and time of callbacks whose logins were started before. */
async function slice(application, concurrency, logins) {
  const { browsers, provider, child } = application
  const started = await inParallel(new Array(logins).fill(0), 32, () => browsers.start())
  await provider.reset()
  await child.ask('collect')
  const result = await cpuOf(child, () => inParallel(started, concurrency, (login) => browsers.callback(login)))
  await application.check(logins)
  await child.ask('forgetSessions')
  return result
}
