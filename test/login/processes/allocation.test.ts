import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Browser } from '../../support/browser'
import { useLogins } from '../../support/logins'
import { inParallel } from '../../support/parallel'
import type { AllocationMessage } from './allocation-program'

const PROGRAM = join(__dirname, 'allocation-program.js')
// A young generation, in MB, that all measured callbacks fit into: nothing is collected while they run.
const SEMI_SPACE = 128
const WARM_UP = 1500
const MEASURED = 300
const CONCURRENCY = 16
// On a busy machine, what the provider sends arrives in more pieces, which take more: the least of these counts.
const ROUNDS = 4
// The strategy, Express, the session and Passport together: 118 KiB on Node 20.
const CEILING = 121 * 1024

const logins = useLogins()

async function answerOf(program: ChildProcess): Promise<AllocationMessage> {
  const [message]: AllocationMessage[] = await once(program, 'message')
  if (message === undefined) throw new Error('the program has no answer')
  return message
}

async function heapUsed(program: ChildProcess, message: 'collect' | 'measure'): Promise<number> {
  const answer = answerOf(program)
  program.send(message)
  const told = await answer
  if ('origin' in told) throw new Error('the program listens already')
  return told.heapUsed
}

test('a callback allocates no more than its ceiling, in the whole stack of a typical application', async () => {
  const { provider } = logins
  const { appID, appSecret } = provider.registerApplication({ name: 'App', redirectURL: 'http://localhost/callback' })
  const execArgv = ['--expose-gc', `--min-semi-space-size=${SEMI_SPACE}`, `--max-semi-space-size=${SEMI_SPACE}`]
  const program = fork(PROGRAM, [provider.baseURL, appID, appSecret], { execArgv })
  logins.stopLater({ stop: async () => program.kill() })
  const started = await answerOf(program)
  if (!('origin' in started)) throw new Error('the program has not started')
  const { origin } = started

  const allocatedBy = async (count: number): Promise<number> => {
    const browsers = Array.from({ length: count }, () => new Browser())
    await inParallel(count, CONCURRENCY, async (index) => void (await browsers[index]?.follow(`${origin}/login`)))
    const before = await heapUsed(program, 'collect')
    const statuses = new Set<number | undefined>()
    await inParallel(count, CONCURRENCY, async (index) => {
      const key = provider.issueAuthKey({ appID, userID: '1' })
      const answer = await browsers[index]?.comeBack(`${origin}/callback?auth_key=${key}`)
      statuses.add(answer?.status)
    })
    expect([...statuses]).toStrictEqual([200])
    return ((await heapUsed(program, 'measure')) - before) / count
  }
  await allocatedBy(WARM_UP)
  const rounds: number[] = []
  while (rounds.length < ROUNDS) rounds.push(await allocatedBy(MEASURED))
  const perCallback = Math.min(...rounds)
  expect(perCallback).toBeGreaterThan(CEILING / 4)
  expect(perCallback).toBeLessThan(CEILING)
}, 120_000)
