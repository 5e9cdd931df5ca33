import type { World } from './world'

/** Which operations of the session store fail during one request. */
export type StoreFault = 'get' | 'set'

/** Makes the session store fail until `disarm`, which returns the fault if it occurred. */
export function armStore(world: World, fault: StoreFault | undefined): { disarm(): StoreFault | undefined } {
  let fired: StoreFault | undefined
  // With the login in a cookie, only Passport saves the session: its failures do not concern the strategy.
  const armed = fault === 'set' && world.keep === 'cookie' ? undefined : fault
  world.sessions.before =
    armed &&
    (async (operation) => {
      if (operation !== armed) return
      fired = armed
      throw new Error('the session store is down: app-secret-of-the-store')
    })
  return {
    disarm: () => {
      world.sessions.before = undefined
      return fired
    },
  }
}
