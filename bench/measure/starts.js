import { Application, cpuOf, rotated, roundsWithin } from '../bench.js'
import { inParallel } from '../load/browser.js'
import { emptySamples, mapValues, quantile, ratios } from '../statistics.js'

const STARTS = 1000
const NAMES = ['floor', 'marked', 'oauth2', 'openid', 'grant', 'ours', 'cookie']

/** CPU of the start of a login over the stack's bare redirect, which keeps nothing of the login. */
export async function measureStarts(provider, { seconds }) {
  const applications = await Promise.all(NAMES.map((name) => Application.start(name, provider)))
  for (const application of applications) await slice(application)
  const samples = emptySamples(NAMES)
  for (const round of roundsWithin(seconds)) {
    for (const application of rotated(applications, round)) samples[application.name].push(await slice(application))
  }
  for (const application of applications) await application.stop()
  return {
    ratio: ratios(samples, 'floor'),
    overMarked: ratios(samples, 'marked'),
    cpuMicroseconds: mapValues(samples, (values) => quantile(values, 0.25)),
  }
}

async function slice({ browsers, child }) {
  await child.ask('collect')
  const { cpu } = await cpuOf(child, () => inParallel(new Array(STARTS).fill(0), 16, () => browsers.start()))
  await child.ask('forgetSessions')
  return cpu / STARTS
}
