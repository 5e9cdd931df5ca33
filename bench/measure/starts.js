import { Application, cpuOf, rotated, roundsWithin } from '../bench.js'
import { inParallel } from '../load/browser.js'
import { emptySamples, mapValues, quantile, ratios } from '../statistics.js'

const STARTS = 1000
const NAMES = ['floor', 'marked', 'oauth2', 'openid', 'grant', 'ours', 'cookie']

/**
 * CPU of the start of a login over the stack's bare redirect (`floor`), which keeps nothing of the login. `marked` is
 * the stack's redirect that keeps a time in the session: what any start costs that can tell its own callback.
 */
export async function measureStarts(provider, { seconds }) {
  const applications = await Promise.all(
    NAMES.map((name) => Application.start(name === 'marked' ? 'floor' : name, provider)),
  )
  const contestants = NAMES.map((name, i) => ({ name, application: applications[i] }))
  for (const contestant of contestants) await slice(contestant)
  const samples = emptySamples(NAMES)
  for (const round of roundsWithin(seconds)) {
    for (const contestant of rotated(contestants, round)) samples[contestant.name].push(await slice(contestant))
  }
  for (const application of applications) await application.stop()
  return {
    ratio: ratios(samples, 'floor'),
    overMarked: ratios(samples, 'marked'),
    cpuMicroseconds: mapValues(samples, (values) => quantile(values, 0.25)),
  }
}

async function slice({ name, application }) {
  const { browsers, child } = application
  await child.ask('collect')
  const path = name === 'marked' ? '/marked' : undefined
  const { cpu } = await cpuOf(child, () => inParallel(new Array(STARTS).fill(0), 16, () => browsers.start(path)))
  await child.ask('forgetSessions')
  return cpu / STARTS
}
