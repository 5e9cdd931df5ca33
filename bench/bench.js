import { contender } from './app/contenders/index.js'
import { Browsers } from './load/browser.js'
import { Child, CORES } from './processes.js'

/** The provider's process. */
export class Provider {
  static async start() {
    const provider = new Provider()
    provider.child = await Child.start('provider/server.js', { core: CORES.load })
    return provider
  }

  /** Its own address, with its own count. */
  async open(options = {}) {
    const port = await this.child.ask('open', options)
    const ask = (name, input) => this.child.ask(name, input)
    return {
      origin: `${options.tls ? 'https' : 'http'}://localhost:${port}`,
      reset: () => ask('reset', port),
      hang: (hanging) => ask('hang', { port, hanging }),
      counts: () => ask('counts', port),
      close: () => ask('close', port),
    }
  }

  async stop() {
    await this.child.stop()
  }
}

/** One contender's application in its own process, its provider address, and browsers at it. */
export class Application {
  static async start(name, provider, { connections = 128, providerOptions, overrides, env, nodeOptions } = {}) {
    const application = new Application()
    application.name = name
    application.provider = await provider.open(providerOptions)
    const args = [name, application.provider.origin, JSON.stringify(overrides ?? {})]
    const options = nodeOptions ?? ['--expose-gc']
    application.child = await Child.start('app/server.js', { core: CORES.app, nodeOptions: options, env, args })
    application.origin = await application.child.ask('origin')
    application.browsers = new Browsers(application.origin, contender(name), connections)
    return application
  }

  ask(name, input) {
    return this.child.ask(name, input)
  }

  /** @throws when the logins since the last reset were not `expected`, with one exchange and one profile each */
  async check(expected) {
    const { logins, wrong } = await this.provider.counts()
    if (logins === expected && wrong === 0) return
    throw new Error(`${this.name}: ${logins} of ${expected} logins, ${wrong} without one exchange and one profile`)
  }

  async stop() {
    await this.browsers.close()
    await this.child.stop()
    await this.provider.close()
  }
}

/** Microseconds of CPU, user and system, that `work` takes in the process of the application. */
export async function cpuOf(child, work) {
  const before = await child.ask('cpu')
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1000
  const after = await child.ask('cpu')
  return { cpu: after.user + after.system - before.user - before.system, seconds }
}

export const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

/** The list, rotated each round: so that none always comes after the same neighbor. */
export function rotated(list, round) {
  const by = round % list.length
  return [...list.slice(by), ...list.slice(0, by)]
}

/** Numbers of rounds, as many as can be started within the time; at least two. */
export function* roundsWithin(seconds) {
  const end = performance.now() + seconds * 1000
  for (let round = 0; round < 2 || performance.now() < end; round++) yield round
}
