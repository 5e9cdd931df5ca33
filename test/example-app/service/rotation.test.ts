import type { RunningExample } from '../../support/example/example-app'
import { useExamples } from '../../support/example/use-examples'

const [OLD, NEW] = ['the old one of the secrets', 'the new one of the secrets']
const LOGINS = 6

describe('a new SESSION_SECRET, rolled over two processes behind a balancer that takes turns', () => {
  const examples = useExamples('all tests')
  let processes: Record<'old' | 'oldNew' | 'newOld' | 'new', RunningExample>

  beforeAll(async () => {
    const withSecret = (SESSION_SECRET: string): Promise<RunningExample> => examples.start({ SESSION_SECRET })
    processes = {
      old: await withSecret(OLD),
      oldNew: await withSecret(`${OLD},${NEW}`),
      newOld: await withSecret(`${NEW},${OLD}`),
      new: await withSecret(NEW),
    }
  })

  /** How many logins end in nothing when each request of a visitor goes to the process that the one before did not. */
  const lostBetween = async (...pair: readonly [RunningExample, RunningExample]): Promise<number> => {
    let turn = 0
    const next = (): string => (pair[turn++ % 2] ?? pair[0]).appURL
    let lost = 0
    for (let count = 0; count < LOGINS; count++) {
      const visitor = examples.visitor(String((count % 3) + 1))
      // Every second login starts at the other process.
      if (count % 2 === 1) turn++
      await visitor.begin(next())
      const back = await visitor.comeBack(next())
      const question = back.location === '/login/confirm' ? await visitor.question(next()) : ''
      if (question !== '') await visitor.answer(next(), question, 'continue')
      const isSignedIn = (await visitor.whoAmI(next())) !== undefined && (await visitor.whoAmI(next())) !== undefined
      if (!isSignedIn) lost++
    }
    return lost
  }

  test('loses logins when the new one is immediately put first', async () => {
    const { old, newOld } = processes
    expect(await lostBetween(old, newOld)).toBeGreaterThan(0)
  })

  test('loses none when it is put behind the old one first, everywhere, and in front then', async () => {
    const { old, oldNew, newOld } = processes
    expect(await lostBetween(old, oldNew)).toBe(0)
    expect(await lostBetween(oldNew, newOld)).toBe(0)
    expect(await lostBetween(newOld, newOld)).toBe(0)
  })

  test('signs no one out on the way, and loses no login when the old one is removed', async () => {
    const ada = examples.visitor('1')
    await ada.signIn(processes.old.appURL)
    for (const { appURL } of [processes.oldNew, processes.newOld]) {
      expect((await ada.whoAmI(appURL))?.['id']).toBe('1')
    }
    // The token of the login was sealed with the old one.
    expect((await ada.submit(`${processes.newOld.appURL}/profile/reload`)).location).toBe('/profile?notice=reloaded')
    const ben = examples.visitor('2')
    await ben.signIn(processes.newOld.appURL)
    expect((await ben.whoAmI(processes.new.appURL))?.['id']).toBe('2')
    // Who signed in before the new one was in front is signed in for as long as the old one is believed.
    expect(await ada.whoAmI(processes.new.appURL)).toBeUndefined()
    expect(await lostBetween(processes.newOld, processes.new)).toBe(0)
  })
})
