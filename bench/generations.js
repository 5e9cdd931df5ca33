import { Application, rotated, roundsWithin } from './bench.js'

// A process is slower, the earlier it was started: the difference fades over some 4,000 logins.
const GENERATIONS = 4
const WARM_UPS = 8

/** Two generations together start all contenders equally early: the second in the opposite order. */
function orderOf(names, generation) {
  const order = rotated(names, generation < GENERATIONS / 2 ? 0 : Math.ceil(names.length / 2))
  return generation % 2 === 0 ? order : order.toReversed()
}

/**
 * Runs rounds over one application for each contender, starting with another one each round. The applications are
 * started again in each generation, in another order, and warmed up together, in turns.
 *
 * @param {object} options
 * @param {number} options.seconds all generations together, without their warm-up
 * @param {(application: Application) => Promise<unknown>} options.warmUp one turn
 * @param {(applications: Application[]) => Promise<unknown>} runRound
 */
export async function inGenerations(names, provider, { seconds, warmUp }, runRound) {
  for (let generation = 0; generation < GENERATIONS; generation++) {
    const applications = []
    const inTurns = async (work) => {
      for (const application of applications) await work(application)
    }
    for (const name of orderOf(names, generation)) applications.push(await Application.start(name, provider))
    for (let turn = 0; turn < WARM_UPS; turn++) await inTurns(warmUp)
    for (const round of roundsWithin(seconds / GENERATIONS)) await runRound(rotated(applications, round))
    await inTurns((application) => application.stop())
  }
}
