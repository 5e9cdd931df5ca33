import type { Keep } from '../../support/app'
import type { HeaderRow } from '../../support/attacks/header-rows'
import { sentWith } from '../../support/attacks/header-rows'
import type { Visit } from '../../support/attacks/target-app'
import type { LiveBrowser, Visitor } from '../../support/browsers/live-browser'
import { createWorld, isCallback, isStart, type World, type WorldOptions } from '../../support/browsers/live-world'
import { Sites } from '../../support/browsers/sites'
import { liveRows } from './live-rows'

/** The result of a row in a real browser. */
export interface Lived {
  readonly sent: ReturnType<typeof sentWith>
  readonly verdict: string
}

/** Reproduces a row and returns what the browser sent. */
export async function live(row: HeaderRow, suite: LiveSuite, kind: Keep): Promise<Lived> {
  const way = liveRows[row.id]
  if (!way) throw new Error(`nobody knows how to bring about ${row.id}`)
  const world = suite.world({
    kind: row.at ?? kind,
    ...(row.strategy && { strategy: row.strategy }),
    ...way.world,
  })
  await way.play(world, await suite.visitor())
  const { sent, verdict } = row
  // A scenario may make several requests of one kind; the row is about the first that is like it.
  const ofKind = row.request === 'start' ? isStart : isCallback
  await world.visited(ofKind)
  const visits = world.target.visits.filter(ofKind)
  const ends = (visit: Visit): boolean => {
    const { method, purpose, accept } = sentWith(visit)
    return [visit.verdict, method, purpose, accept].join() === [verdict, sent.method, sent.purpose, sent.accept].join()
  }
  const visit = visits.find(ends) ?? visits[0]
  if (!visit) throw new Error('it was there a moment ago')
  return { sent: sentWith(visit), verdict: visit.verdict }
}

/** Shared by the tests of a file: one browser and the sites; each test gets a new world and new visitors. */
export interface LiveSuite {
  world(options: WorldOptions): World
  visitor(): Promise<Visitor>
  sites(): Sites
}

/** Starts the browser before the tests of the block and stops it after them. */
export function liveSuite(start: () => Promise<LiveBrowser>): LiveSuite {
  jest.setTimeout(60_000)
  let sites: Sites
  let browser: LiveBrowser
  const visitors: Visitor[] = []
  beforeAll(async () => {
    sites = await Sites.start()
    browser = await start()
  }, 30_000)
  afterEach(async () => {
    for (const visitor of visitors.splice(0)) await visitor.close()
  })
  afterAll(async () => {
    await browser.close()
    await sites.stop()
  })
  return {
    world: (options) => createWorld(sites, options),
    visitor: async () => {
      const visitor = await browser.visitor()
      visitors.push(visitor)
      return visitor
    },
    sites: () => sites,
  }
}

/** The user signed in to the application in this browser. */
export async function userIn({ app }: World, visitor: Visitor): Promise<unknown> {
  const tab = await visitor.open()
  await tab.goto(`${app}/me`)
  return Reflect.get(JSON.parse(await tab.text()), 'user')
}

/** Number of exchange requests to the provider. */
export const exchangesOf = ({ provider }: World): number =>
  provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length

export const verdictsOf = ({ target }: World): string[] => target.visits.map(({ verdict }) => verdict)
