/**
 * Options of {@link checkPendingLoginStore}.
 *
 * @example
 * import session from 'express-session'
 *
 * const middleware = session({ secret: 'for tests', resave: false, saveUninitialized: false })
 * const options: PendingLoginStoreCheck = { middleware, atomic: false }
 */
export interface PendingLoginStoreCheck {
  /** Runs before each request, as in Connect and Express: the session middleware of a store that keeps to the session. */
  // `never`, because the types of Express's and Connect's requests differ.
  readonly middleware?: ((req: never, res: never, next: (error?: unknown) => void) => unknown) | undefined
  /**
   * False for a store that cannot tell which of two callbacks came first, such as one in a session: several processes
   * can then use a login once each. Default true: `consume` must tell.
   */
  readonly atomic?: boolean | undefined
  /** Lets this time pass for the storage. Without it, nothing is checked about expiry. */
  readonly passTime?: ((milliseconds: number) => Promise<void>) | undefined
  /** Takes the storage away, and brings it back with what it held. Without it, nothing is checked about outages. */
  readonly outage?: StorageOutage | undefined
}

/**
 * Simulates an outage of a store's storage.
 *
 * @example
 * const outage: StorageOutage = { begin: () => server.halt(), end: () => server.resume() }
 */
export interface StorageOutage {
  /** Takes the storage away. */
  begin(): Promise<void>
  /** Brings it back; resolves once the stores can use it again. */
  end(): Promise<void>
}
