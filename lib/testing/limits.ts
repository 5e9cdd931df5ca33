const mebibyte = 1_048_576

/**
 * How much the provider keeps. Any website that its developer visits can send requests to a port of 127.0.0.1, and a
 * test suite may sign in as often as it likes: nothing may grow with the number of requests.
 */
export const limits = Object.freeze({
  /** Requests in the log. */
  requests: 20_000,
  /** Bytes of the log, estimated on the high side. */
  requestBytes: 32 * mebibyte,
  /** Unused keys, tokens, remembered approvals and rate-limited tokens: the limit for each. */
  credentials: 10_000,
  /** Browsers that are signed in at the provider. */
  sessions: 10_000,
  /** Applications that the dashboard registers at most. */
  applications: 1_000,
  /** People that the dashboard adds at most. */
  users: 1_000,
  /** Characters of a person's text field in the dashboard. */
  userField: 1_000,
  /** Characters of a redirect URL. */
  redirectURL: 2_000,
  /** Queued `failNext` calls per endpoint. */
  faults: 10_000,
  /** Bytes of a request's body that are read into memory. */
  body: 65_536,
  /** Bytes of a request's body after which the connection is cut. */
  bodyOnTheWire: mebibyte,
  /** Bytes of a request's headers, the request line included. */
  headers: 16_384,
  /** Concurrent connections. */
  connections: 1_000,
  /** Milliseconds until a request's headers must be complete. */
  headersTimeout: 60_000,
  /** Milliseconds until a request must be complete. */
  requestTimeout: 60_000,
  /** Milliseconds without reads or writes after which a connection is cut. */
  idleTimeout: 120_000,
  /** Milliseconds between checks for requests that take too long. */
  timeoutCheck: 5_000,
})
