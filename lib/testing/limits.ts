const mebibyte = 1_048_576

/**
 * How much the provider keeps. Any website that its developer visits can send requests to a port of 127.0.0.1, and a test suite
 * may sign in as often as it likes: nothing here may grow with the number of requests.
 */
export const limits = Object.freeze({
  /** Requests in the log. */
  requests: 20_000,
  /** Bytes of the log, estimated on the high side. */
  requestBytes: 32 * mebibyte,
  /** Unused keys, tokens, remembered approvals, counted tokens of the rate limit: of each so many. */
  credentials: 10_000,
  /** Browsers that are signed in at the provider. */
  sessions: 10_000,
  /** Applications, beyond which the dashboard registers no more. */
  applications: 1_000,
  /** People, beyond which the dashboard adds no more. */
  users: 1_000,
  /** Characters of a person's text field in the dashboard. */
  userField: 1_000,
  /** Characters of a redirect URL. */
  redirectURL: 2_000,
  /** Faults that wait, in calls of `failNext`, for each endpoint. */
  faults: 10_000,
  /** Bytes of a request's body that are read into memory. */
  body: 65_536,
  /** Bytes of a request's body after which the connection is cut. */
  bodyOnTheWire: mebibyte,
  /** Bytes of a request's headers, the request line included. */
  headers: 16_384,
  /** Connections at the same time. */
  connections: 1_000,
  /** Milliseconds until a request's headers must be complete. */
  headersTimeout: 60_000,
  /** Milliseconds until a request must be complete. */
  requestTimeout: 60_000,
  /** Milliseconds in which nothing is read or written, after which a connection is cut. */
  idleTimeout: 120_000,
  /** Milliseconds between two looks for requests that take too long. */
  timeoutCheck: 5_000,
})
