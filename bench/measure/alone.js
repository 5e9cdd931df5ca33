import { rotated, roundsWithin } from '../bench.js'
import { Child, CORES } from '../processes.js'
import { emptySamples, mapValues, quantile, ratios } from '../statistics.js'

const NAMES = ['bare', 'oauth2', 'openid', 'ours', 'cookie', 'legacy']
const LOGINS = { 1: 300, 16: 1000 }

/** CPU of the strategy alone, from the callback to Passport's success, over the two bare calls; no Express. */
export async function measureAlone(provider, { seconds }) {
  const harnesses = await Promise.all(NAMES.map((name) => startHarness(name, provider)))
  for (const { child } of harnesses) await child.ask('slice', { logins: 1500, concurrency: 16 })

  const samples = mapValues(LOGINS, () => emptySamples(NAMES))
  for (const round of roundsWithin(seconds)) {
    for (const [concurrency, logins] of Object.entries(LOGINS)) {
      for (const harness of rotated(harnesses, round)) {
        samples[concurrency][harness.name].push(await slice(harness, logins, Number(concurrency)))
      }
    }
  }
  for (const { child, address } of harnesses) {
    await child.stop()
    await address.close()
  }
  return mapValues(samples, (cpu) => ({
    ratio: ratios(cpu, 'bare'),
    cpuMicroseconds: mapValues(cpu, (values) => quantile(values, 0.25)),
  }))
}

export async function startHarness(name, provider) {
  const address = await provider.open()
  const options = { core: CORES.app, nodeOptions: ['--expose-gc'], args: [name, address.origin] }
  return { name, address, child: await Child.start('app/strategy-alone.js', options) }
}

async function slice({ name, child, address }, logins, concurrency) {
  await address.reset()
  const cpu = await child.ask('slice', { logins, concurrency })
  const counts = await address.counts()
  if (counts.logins !== logins || counts.wrong > 0) throw new Error(`${name}: ${JSON.stringify(counts)} of ${logins}`)
  return cpu
}
