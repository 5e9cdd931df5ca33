import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { port, stopServer } from '../support/app'
import { closeBrowsers } from '../support/browser'
import { isSoak } from '../support/runs'
import { type Report, runCampaign } from './campaign'
import { ExampleWorld, type FuzzedApplication } from './world'

// `npm run test:long` sends two million; SEED replays.
const REQUESTS = isSoak ? 2_000_000 : Infinity
const SHORT_MS = 10_000
/** Requests per process: its output is kept and searched for secrets. */
const ROUND = 250_000
/** Megabytes from a third of a round to its end. A leak of a thousand bytes per request exceeds it within one round. */
const MOST_GROWTH = 60
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))

afterAll(closeBrowsers)

describe('the judge', () => {
  let server: Server

  /** A careless application. */
  async function naive(listener: Parameters<typeof createServer>[1]): Promise<FuzzedApplication> {
    // Node does not read a request after one with `Connection: upgrade`, and closes the idle connection only after its
    // timeout.
    server = createServer({ keepAliveTimeout: 300 }, listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const listening = port(server)
    return {
      port: listening,
      deadline: 3000,
      fill: (text) => text.replaceAll('{{port}}', String(listening)),
      renew: async () => {},
      megabytes: () => undefined,
    }
  }

  afterEach(() => stopServer(server))

  test('finds a 500, and minimises the request that causes it', async () => {
    const application = await naive((request, response) => {
      const isHurt = request.headers['x-forwarded-for']?.includes('unknown') === true
      response.writeHead(isHurt ? 500 : 200).end()
    })
    const { fault } = await runCampaign(application, SEED, { requests: 20_000, milliseconds: 20_000 })
    // One request, with a body only if a POST was found, and no line more than the one that hurts.
    const head = /(GET|POST) \/ HTTP\/1.1\\r\\nHost: localhost:{{port}}\\r\\nX-Forwarded-For: unknown\\r\\n/.source
    const body = /(Content-Type: [^\\]+\\r\\nContent-Length: 17\\r\\n\\r\\ndecision=continue|\\r\\n)/.source
    expect(fault).toMatch(new RegExp(`^Error: status 500: \\[{"requests":\\["${head}${body}"\\],`))
  }, 40_000)

  test('finds a request that is neither answered nor closed, and one that crashes the process', async () => {
    const hanging = await naive((request, response) => {
      if (request.method !== 'PUT') response.end()
    })
    const { fault } = await runCampaign(hanging, SEED, { requests: 2000, milliseconds: 20_000 })
    expect(fault).toMatch(/^Error: no answer and no close: /)
    await stopServer(server)
    const gone = await runCampaign(hanging, SEED, { requests: 2000, milliseconds: 20_000 })
    expect(gone.fault).toMatch(/^Error: nobody listens any more: /)
  }, 60_000)
})

describe('the example application', () => {
  let world: ExampleWorld

  beforeEach(async () => {
    world = await ExampleWorld.start()
  }, 20_000)

  afterEach(() => world.stop(), 20_000)

  test(
    'survives random requests, pipelined, split and aborted, in every state of a login',
    async () => {
      console.log(`fuzz: SEED=${SEED}`)
      for (let done = 0, round = 0; done < Math.min(REQUESTS, 1e9); round += 1) {
        const length = {
          requests: Math.min(ROUND, REQUESTS - done),
          milliseconds: Number.isFinite(REQUESTS) ? Infinity : SHORT_MS,
        }
        expect(await world.goodLogin()).toBe(true)
        const report = await runCampaign(world, SEED + round * ROUND, length)
        console.log(`fuzz: ${summary(report)}`)
        expect(report.fault).toBeUndefined()
        expect(await world.goodLogin()).toBe(true)
        expect(world.leaks()).toEqual([])
        const [early = 0, late = 0] = report.megabytes
        expect(late - early).toBeLessThan(MOST_GROWTH)
        done += report.requests
        expect(await world.stop()).toBe(0)
        if (!Number.isFinite(REQUESTS)) break
        if (done < REQUESTS) world = await ExampleWorld.start()
      }
    },
    Number.isFinite(REQUESTS) ? 120_000 + REQUESTS * 3 : 60_000,
  )
})

function summary({ requests, perSecond, statuses, megabytes }: Report): string {
  return `${requests} requests, ${perSecond} a second, ${megabytes.join(' then ')} MB, ${JSON.stringify(statuses)}`
}
