import { Application, rotated, roundsWithin } from './bench.js'

// A process is slower, the earlier it was started: the difference fades over some 4,000 logins.
const GENERATIONS = 3
const WARM_UPS = 8

/**
 * Runs rounds over one application for each contender, begun at another one each round. The applications are started anew
 * in each generation, in another order, and warmed up together, in turns.
 *
 * @param {object} options
 * @param {number} options.seconds all generations together, without their warm-up
 * @param {(application: Application) => Promise<unknown>} options.warmUp one turn
 * @param {(application: Application) => Promise<unknown>} [options.onReady] once all are warm
 * @param {(application: Application) => Promise<unknown>} [options.onEnd] after the last round
 * @param {(applications: Application[]) => Promise<unknown>} runRound
 */
export async function inGenerations(names, provider, { seconds, warmUp, onReady, onEnd }, runRound) {
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const applications = []
    const inTurns = async (work) => {
      for (const application of applications) await work?.(application)
    }
    const order = rotated(names, generation * Math.ceil(names.length / GENERATIONS))
    for (const name of order) applications.push(await Application.start(name, provider))
    for (let turn = 0; turn < WARM_UPS; turn++) await inTurns(warmUp)
    await inTurns(onReady)
    for (const round of roundsWithin(seconds / GENERATIONS)) await runRound(rotated(applications, round))
    await inTurns(onEnd)
    await inTurns((application) => application.stop())
  }
}
