import { replaceClock } from './clock'
import { configurationOf } from './configuration'
import { type Path, replay } from './explore'
import { settingOf } from './world'

// Stories that an exploration has told, as it prints them: the known limits, each in its shortest form.

let restore = (): void => {}
beforeAll(() => {
  restore = replaceClock()
})
afterAll(() => restore())

/** Follows a path; rejects with the invariant that it breaks. Resolves to the exceptions that its last event shows. */
async function follow(name: string, path: Path): Promise<readonly string[]> {
  const { judge } = await replay(settingOf(configurationOf(name)), path)
  return judge.exceptions
}

const begun = ['victim 1: starts at honest', 'request 1: saved', 'request 1: arrives']

test('in another tab, a page of the attacker within the window signs the victim in as the attacker', async () => {
  const path = [
    ...begun,
    'victim 2: injected callback of honest, referer absent',
    'request 1: saved',
    'request 1: granted',
    'request 1: accepts',
    'request 1: signed in',
  ]
  expect(await follow('attacker, session', path)).toStrictEqual(['attacker within the window'])
})

test('with tab binding, the same page is asked for a secret that its tab does not have, and refused', async () => {
  const path = [
    'victim 1: starts at honest',
    'request 1: arrives',
    'victim 1: script',
    'request 1: saved',
    'request 1: arrives',
    'victim 2: injected callback of honest, referer absent',
    'request 1: arrives',
    'victim 2: script',
  ]
  const world = await replay(settingOf(configurationOf('attacker, session, tab binding')), path)
  expect(world.judge.outcomes).toStrictEqual(['refuse: tab_mismatch'])
})

test('in WebKit, a reload finishes a login whose callback an outage has answered', async () => {
  const path = [
    ...begun,
    'victim 1: approves, referer provider',
    'request 1: is lost',
    'request 1: arrives',
    'victim 1: repeats the callback in WebKit',
    'request 1: saved',
    'request 1: granted',
    'request 1: accepts',
    'request 1: signed in',
  ]
  expect(await follow('login, session', path)).toStrictEqual([])
})

test('two processes that have read a session before either has saved it send its key twice', async () => {
  const at = (process: number): string => `, at process ${process}`
  const path = [
    `victim 1: starts at honest${at(1)}`,
    'request 1: read',
    'request 1: saved',
    'request 1: arrives',
    `victim 1: approves, referer provider${at(1)}`,
    'request 1: read',
    `victim 1: repeats the callback${at(2)}`,
    'request 2: read',
    'request 1: saved',
    'request 2: saved',
  ]
  expect(await follow('processes, session', path)).toStrictEqual(['session read twice'])
})

test('a path that is not possible is told, not skipped', async () => {
  await expect(follow('login, session', ['victim 1: script'])).rejects.toThrow('victim 1: script is not possible here')
})
