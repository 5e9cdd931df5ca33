import { join } from 'node:path'
import express from 'express'
import { liveSuite, userIn, verdictsOf } from '../../security/browsers/live-suite'
import { adapters } from '../attacks/target-app'
import { describeInEachBrowser } from './each-browser'
import { isStart, until } from './live-world'

const PACKAGES = join(__dirname, '../../../../node_modules')

/** A client-side router, as a page loads it from its package. */
export interface RouterUnderTest {
  readonly name: string
  /** HTML of the head; `/npm` has the packages. */
  readonly head: string
  /** Whether the page has it: an expression. */
  readonly isReady: string
  readonly links: readonly RouterLink[]
  /** What the console may say: what the package itself says of each such navigation. */
  readonly says?: RegExp
}

/** A way to open the start at `/auth/social`: an element `#go`, and what is around it. */
export interface RouterLink {
  readonly link: string
  readonly html: string
  /** Whether the router requests it when the mouse is over it. */
  readonly prefetches?: true
}

/** In each browser, one click on each of the links opens the provider, and after an approval the user is signed in. */
export function describeRouter({ name, head, isReady, links, says }: RouterUnderTest): void {
  describeInEachBrowser(`a login link under ${name}`, (start) => {
    const suite = liveSuite(start)

    test.each(links.map((row, index) => ({ ...row, kind: adapters[index % adapters.length] ?? 'session' })))(
      '$link: hovering starts no login, one click opens the provider and signs in, and Back returns ($kind)',
      async ({ html, prefetches, kind }) => {
        const page = `<!doctype html><html lang="en"><head><title>Home</title><link rel="icon" href="data:,">${head}</head><body>${html}</body></html>`
        const world = suite.world({
          kind,
          way: 'real',
          before: (app) => {
            app.get('/favicon.ico', (_req, res) => res.status(204).end())
            app.use('/npm', express.static(PACKAGES))
            app.get('/home', (_req, res) => res.type('html').send(page))
          },
        })
        const starts = (): string[] => world.target.visits.filter(isStart).map(({ verdict }) => verdict)
        const begun = (): number => starts().filter((verdict) => verdict === 'started').length
        const visitor = await suite.visitor()
        const tab = await visitor.open()
        const ready = (): Promise<void> => until(async () => (await tab.run(isReady)) === true)
        // A navigation that follows before the page is there may be lost.
        const atProvider = (): Promise<void> =>
          until(async () => {
            const isLoaded = await tab.run("document.readyState === 'complete'")
            return isLoaded === true && (await tab.url()).startsWith(world.providerOrigin)
          })

        await tab.goto(`${world.app}/home`)
        await ready()
        await tab.hover('#go')
        if (prefetches) await until(() => starts().length > 0)
        expect([begun(), Object.keys(Reflect.get(world.target.store, 'sessions') ?? {})]).toStrictEqual([0, []])

        await tab.click('#go')
        await atProvider()
        expect(begun()).toBe(1)
        await tab.back()
        await until(async () => (await tab.url()) === `${world.app}/home`)
        await ready()

        await tab.click('#go')
        await atProvider()
        await tab.click('button[name="user_id"][value="1"]')
        await tab.click('button[value="approve"]')
        await world.visited(({ verdict }) => verdict === 'accepted')
        expect(await userIn(world, visitor)).toBe('social:1')
        expect(begun()).toBe(2)
        expect(verdictsOf(world).filter((verdict) => !/^(page|started|accepted|409)$/.test(verdict))).toStrictEqual([])
        expect(tab.complaints().filter((line) => !says?.test(line))).toStrictEqual([])
      },
    )
  })
}
