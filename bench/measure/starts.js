import { cpuOf } from '../bench.js'
import { inGenerations } from '../generations.js'
import { inParallel } from '../load/browser.js'
import { emptySamples, mapValues, quantile, ratios } from '../statistics.js'

const STARTS = 1000
const NAMES = ['unmarked', 'floor', 'oauth2', 'openid', 'grant', 'ours', 'cookie']

/** CPU of the start of a login over the stack's bare redirect, which keeps nothing of the login. */
export async function measureStarts(provider, { seconds }) {
  const samples = emptySamples(NAMES)
  await inGenerations(
    NAMES,
    provider,
    { seconds, warmUp: (application) => slice(application, 500) },
    async (applications) => {
      for (const application of applications) samples[application.name].push(await slice(application))
    },
  )
  return {
    ratio: ratios(samples, 'unmarked'),
    overFloor: ratios(samples, 'floor'),
    cpuMicroseconds: mapValues(samples, (values) => quantile(values, 0.25)),
  }
}

async function slice({ browsers, child }, starts = STARTS) {
  await child.ask('collect')
  const { cpu } = await cpuOf(child, () => inParallel(new Array(starts).fill(0), 16, () => browsers.start()))
  await child.ask('forgetSessions')
  return cpu / starts
}
