import { MAX_AGE_MS } from '../../lib/limits'
import { ANSWERS } from './answers'
import type { Bounds } from './configuration'
import type { Navigation, Tab } from './facts'
import type { Process } from './process'
import { againOf, type CallbackRowName, type StartRowName } from './rows'
import type { Run } from './run'
import type { World } from './world'

/** What may happen next in a world. */
export interface Event {
  /** Identifies it among the events of one state. */
  readonly name: string
  readonly story: string
  readonly act: () => Promise<void>
}

/** All events that are possible in the present state. */
export function eventsOf(world: World): Iterable<Event> {
  return new Events(world).all()
}

class Events {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  *all(): Generator<Event> {
    const { runs, tabs, configuration } = this.#world
    for (const [index, run] of runs.entries()) yield* this.#answers(run, `request ${index + 1}`)
    if (runs.length < configuration.bounds.requests) {
      for (const tab of tabs) for (const process of this.#processes()) yield* this.#requests(tab, process)
    }
    for (const tab of tabs) yield* this.#atProvider(tab)
    yield* this.#surroundings()
  }

  /** Both processes are alike until the first has worked. */
  #processes(): readonly Process[] {
    const { processes, configuration } = this.#world
    const [first] = processes
    return first && !first.hasWorked && configuration.skew === 0 ? [first] : processes
  }

  *#answers(run: Run, name: string): Generator<Event> {
    const who = `The request of ${run.tab.name}`
    const on = (answer: string, story: string, budget?: keyof Bounds): Event =>
      this.#event(`${name}: ${answer}`, story, () => this.#world.resume(run, answer), budget)
    switch (run.wait?.at) {
      case 'read':
        return yield on('read', `${who} reaches process ${run.process.name}, which reads the session.`)
      case 'save':
        yield on('saved', `The session store saves the session of that of ${run.tab.name}.`)
        if (this.#mayHappen('faults')) yield on('is lost', `The session store fails for ${run.tab.name}.`, 'faults')
        return
      case 'exchange':
        return yield* this.#exchanges(run, on)
      case 'verify':
        yield on('accepts', `The application accepts the person of ${run.tab.name}.`)
        if (this.#mayHappen('faults')) yield on('refuses', `The application refuses ${run.tab.name}.`, 'faults')
        return
      case 'sign-in':
        return yield on('signed in', `The application signs the person in and renews the session (${run.tab.name}).`)
      case 'logout':
        return yield on('ended', `The application ends the session (${run.tab.name}).`)
      case 'delivery':
        return yield on('arrives', `The browser receives the response (${run.tab.name}).`)
    }
  }

  *#exchanges(run: Run, on: (answer: string, story: string, budget?: keyof Bounds) => Event): Generator<Event> {
    const { key, navigation } = run
    const provider = navigation === 'logout' ? 'honest' : navigation.provider
    const isGood = key !== undefined && key.provider === provider && !key.isSpent
    if (!isGood) return yield on('refused', `The ${provider} provider ${ANSWERS.refused.story}.`)
    yield on('granted', `The ${provider} provider ${ANSWERS.granted.story}.`)
    if (!this.#mayHappen('faults')) return
    const answers = this.#world.configuration.allAnswers ? Object.keys(ANSWERS) : ['lost', 'spent and lost']
    for (const [name, { story }] of Object.entries(ANSWERS)) {
      if (name !== 'granted' && answers.includes(name)) yield on(name, `The ${provider} provider ${story}.`, 'faults')
    }
  }

  *#requests(tab: Tab, process: Process): Generator<Event> {
    const { configuration } = this.#world
    const at = configuration.processes === 2 ? `, at process ${process.name}` : ''
    const isVictim = tab.browser.name === 'victim'
    const send = (navigation: Navigation) => () => this.#world.send(tab, process, navigation)
    const { page } = tab
    if (page.at !== 'waiting' && page.at !== 'script') {
      for (const provider of configuration.providers) {
        const start: Navigation = { kind: 'start', provider, row: 'own', injected: false }
        if (this.#mayHappen('starts'))
          yield this.#event(
            `${tab.name}: starts at ${provider}${at}`,
            `${tab.name}: follows the link of the application to sign in at the ${provider} provider${at}.`,
            send(start),
            'starts',
          )
        if (isVictim && this.#mayHappen('plantedStarts'))
          for (const row of this.#plantedRows())
            yield this.#event(
              `${tab.name}: follows a ${row} link to ${provider}${at}`,
              `${tab.name}: follows a ${row} link of the attacker to the start at the ${provider} provider${at}.`,
              send({ ...start, row, injected: true }),
              'plantedStarts',
            )
      }
    }
    if (page.at === 'confirm' && this.#mayHappen('starts'))
      yield this.#event(
        `${tab.name}: confirms${at}`,
        `${tab.name}: presses the button of the confirm page${at}.`,
        send(page.next),
        'starts',
      )
    if (page.at === 'script')
      yield this.#event(`${tab.name}: script${at}`, `${tab.name}: the script of our page runs${at}.`, () =>
        this.#runScript(tab, process, page.next),
      )
    yield* this.#callbacks(tab, process, at)
    if (tab.browser.session !== undefined && this.#mayHappen('sessionChanges'))
      yield this.#event(
        `${tab.name}: logs out${at}`,
        `${tab.name}: logs out${at}.`,
        () => this.#world.send(tab, process, 'logout'),
        'sessionChanges',
      )
  }

  #plantedRows(): readonly StartRowName[] {
    const { fetchMetadata, unverifiedStart } = this.#world.configuration
    return fetchMetadata && unverifiedStart === 'allow' ? ['planted', 'typed'] : ['planted']
  }

  #callbackRows(usual: CallbackRowName): readonly CallbackRowName[] {
    const { allReferers, fetchMetadata } = this.#world.configuration
    if (!allReferers) return [usual]
    return ['provider', 'absent', 'app', ...(fetchMetadata ? (['typed'] as const) : [])]
  }

  *#callbacks(tab: Tab, process: Process, at: string): Generator<Event> {
    const { configuration } = this.#world
    const { page, callback, browser } = tab
    const account = browser.name === 'victim' ? 'victim' : 'attacker'
    const callbackWith =
      (row: CallbackRowName, provider: Navigation['provider'], owner: string, injected: boolean) =>
      (): Promise<void> => {
        const from = this.#world.browsers.find(({ name }) => name === owner) ?? { ...browser, name: owner }
        const key = this.#world.mintKey(provider, injected ? from : browser, owner)
        return this.#world.send(tab, process, { kind: 'callback', provider, row, key, injected })
      }
    if (page.at === 'provider' && this.#mayHappen('approvals'))
      for (const row of this.#callbackRows('provider'))
        yield this.#event(
          `${tab.name}: approves, referer ${row}${at}`,
          `${tab.name}: signs in as ${account} at the ${page.provider} provider, which returns to the callback (Referer: ${row})${at}.`,
          callbackWith(row, page.provider, account, false),
          'approvals',
        )
    if (account === 'victim' && this.#mayHappen('injections'))
      for (const row of this.#callbackRows('absent')) {
        // An attacker cannot send the Referer of the provider.
        if (row === 'provider') continue
        for (const provider of configuration.providers)
          yield this.#event(
            `${tab.name}: injected callback of ${provider}, referer ${row}${at}`,
            `${tab.name}: a page of the attacker navigates to the callback of the ${provider} provider with the attacker’s key (Referer: ${row})${at}.`,
            callbackWith(row, provider, 'attacker', true),
            'injections',
          )
      }
    if (callback && this.#mayHappen('repeats'))
      yield this.#event(
        `${tab.name}: repeats the callback${at}`,
        `${tab.name}: sends its last callback again (reload, back button or double click)${at}.`,
        () => this.#world.send(tab, process, callback),
        'repeats',
      )
    if (callback && configuration.fetchMetadata && this.#mayHappen('repeats'))
      yield this.#event(
        `${tab.name}: repeats the callback in WebKit${at}`,
        `${tab.name}, in WebKit: sends its last callback again (reload, Back or Forward)${at}.`,
        () => this.#world.send(tab, process, { ...callback, row: againOf(callback.row) }),
        'repeats',
      )
  }

  *#atProvider(tab: Tab): Generator<Event> {
    const { page } = tab
    if (page.at !== 'provider') return
    const leave = (to: Tab['page']) => async (): Promise<void> => {
      tab.page = to
    }
    yield this.#event(`${tab.name}: cancels`, `${tab.name}: cancels at the provider.`, leave({ at: 'elsewhere' }))
    if (page.provider === 'hostile')
      yield this.#event(
        `${tab.name}: is sent on`,
        `${tab.name}: the hostile provider redirects to the login page of the honest one.`,
        leave({ at: 'provider', provider: 'honest' }),
      )
  }

  *#surroundings(): Generator<Event> {
    const world = this.#world
    if (this.#mayHappen('waits'))
      for (const [name, milliseconds] of Object.entries(world.configuration.steps))
        yield this.#event(`${name} pass`, `${name} pass.`, () => world.pass(milliseconds), 'waits')
    if (this.#mayHappen('setBacks'))
      yield this.#event(
        'the clocks are set back',
        'The wall clocks of the application are set back by twenty minutes.',
        async () => world.setClocksBack(2 * MAX_AGE_MS),
        'setBacks',
      )
    if (this.#mayHappen('restarts'))
      for (const [index, { hasWorked, name }] of world.processes.entries())
        if (hasWorked)
          yield this.#event(
            `process ${name} restarts`,
            `Process ${name} restarts.`,
            () => world.restart(index),
            'restarts',
          )
    if (this.#mayHappen('sessionChanges'))
      for (const browser of world.browsers)
        yield this.#event(
          `${browser.name} signs in by password`,
          `The browser of the ${browser.name} signs in as somebody else by another way of the application.`,
          async () => world.signIn(browser, 'somebody else'),
          'sessionChanges',
        )
    for (const [index, { run, write }] of world.lateSaves.entries())
      if (run.wait?.at !== 'save')
        yield this.#event(`late save ${index + 1}`, `The session store saves what it was given up for.`, async () => {
          world.lateSaves.splice(index, 1)
          write()
        })
  }

  async #runScript(tab: Tab, process: Process, next: Navigation): Promise<void> {
    const secret = next.kind === 'start' ? this.#world.newTabSecret() : (tab.secret ?? '')
    tab.secret = next.kind === 'start' ? secret : undefined
    await this.#world.send(tab, process, { ...next, tabSecret: secret })
  }

  #mayHappen(budget: keyof Bounds): boolean {
    return (this.#world.spent[budget] ?? 0) < this.#world.configuration.bounds[budget]
  }

  #event(name: string, story: string, act: () => Promise<void>, budget?: keyof Bounds): Event {
    const world = this.#world
    return {
      name,
      story,
      act: () => {
        world.time += 1
        if (budget) world.spent[budget] = (world.spent[budget] ?? 0) + 1
        return act()
      },
    }
  }
}
