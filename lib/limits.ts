// Every limit of a login and of the client, with its reason. The end of a name is its unit: _MS milliseconds, _SECONDS,
// _BYTES, and _LENGTH characters; the others are counts. docs/limits.md says what happens beyond each.

// A login.

/**
 * How long a login may take, from the start to the callback, with the user at the provider: as long as OAuth's codes
 * live (RFC 6749, 4.1.2).
 */
export const MAX_AGE_MS = 10 * 60 * 1000
/** Clock skew between servers: a record's `issuedAt` may be this far in the future. */
export const MAX_CLOCK_SKEW_MS = 60 * 1000
/** Until then the clock of some server may still accept a login, so stores keep it, and used ids are remembered. */
export const RETENTION_MS = MAX_AGE_MS + MAX_CLOCK_SKEW_MS
/** For so long, a callback may have the application as its Referer, as after a silent approval, or a link there. */
export const SILENT_APPROVAL_MS = 30 * 1000
/** Longer than redirects within an application take, and shorter than a user who has signed in looks around. */
export const AFTER_TAB_LOGIN_MS = 10 * 1000
/** A page with a button is inert for longer than a double click takes, because that was meant for the page before. */
export const INERT_MS = 800
/** A double click makes one duplicate. `maxConcurrentLogins` does not count callbacks that wait for another login. */
export const MAX_WAITING = 8
/** `Retry-After` when a store fails: a typical time for a session store to fail over or restart. */
export const STORE_RETRY_SECONDS = 5
/** The settings of a provider take some kilobytes, and are made again within a millisecond. */
export const MAX_PROVIDERS = 1000

/** The names, and the callbacks, of providers at which a login has succeeded: each takes 200 to 1,400 bytes. */
export const MAX_OWNERS = 10_000

// Options.

/** For the requests of a login together, for each call of a store, and for `provider`; for a client's whole call. */
export const DEFAULT_TIMEOUT_MS = 10_000
export const MAX_TIMEOUT_MS = 120_000
export const DEFAULT_VERIFY_TIMEOUT_MS = 30_000
export const MAX_VERIFY_TIMEOUT_MS = 600_000
/** The logins at a provider, or the calls of a client, at one time, and so the connections. */
export const DEFAULT_CONNECTIONS = 128
export const MAX_CONNECTIONS = 10_000
/** The connection pools of many providers, one for each origin. */
export const DEFAULT_POOLS = 100
export const MAX_POOLS = 10_000
/** It holds for every text option, and for every URL that is parsed. */
export const MAX_URL_LENGTH = 2048
export const MAX_USER_AGENT_LENGTH = 256
/** As many as the key of AES-256-GCM, which is derived from it, has bytes. */
export const MIN_COOKIE_KEY_LENGTH = 32
/** Each is tried for a cookie that does not open. A rotation needs two. */
export const MAX_COOKIE_KEYS = 10
export const MAX_COOKIE_NAME_LENGTH = 64

// What a browser sends, or carries for the application.

/** Node accepts targets of 16 KB, and a login needs less than 2 KB: a longer one is likely an attack on the parser. */
export const MAX_TARGET_LENGTH = 4096
/** As long as DNS permits (RFC 1035). `new URL()` takes 20 ms for a host of 15 KB, growing with its square (IDNA). */
export const MAX_HOST_LENGTH = 255
/** The specification gives none; deployed servers send 32 characters. */
export const MAX_AUTH_KEY_LENGTH = 512
/** Counted once it is percent-encoded. It must fit into a cookie. */
export const MAX_RETURN_PATH_LENGTH = 1024
/** Counted as JSON. It must fit into a cookie. */
export const MAX_STATE_BYTES = 1024
/** A longer one would not fit into a cookie beside the longest returnTo and state. */
export const MAX_START_PATH_LENGTH = 256
/** Browsers reject larger cookies; a sealed record with the longest returnTo and state has 3,300 bytes. */
export const MAX_COOKIE_LENGTH = 4096

// Connections to the provider.

/**
 * How often a profile request is sent at most, as `client/http/retry.ts` says; an exchange is sent twice at most. A second
 * one helps where a server restarts or a connection is lost; further ones would multiply the load of a provider in trouble.
 */
export const MAX_PROFILE_SENDS = 2
/** Addresses are tried one after the other, and the owner of a name may give it thousands, of hosts of his choice. */
export const MAX_ADDRESSES = 32
/** Node's 0.25 seconds are too few for a lost packet, sent again after a second, if no other address answers. */
export const ADDRESS_TIMEOUT_MS = 1500
/** This is longer than most restarts. At most a third of the timeout is used, because the rest is for the requests. */
export const CONNECT_RETRY_MS = 3000
export const CONNECT_RETRIES = 6
/** A younger spare connection outlasts the next user's visit to the provider's page, and a handshake costs CPU. */
export const PRECONNECT_INTERVAL_MS = 10_000
/**
 * Logins of different users are often seconds apart, and servers drop idle connections: nginx after a minute, Apache
 * after 20 seconds. A shorter time in the server's `Keep-Alive` header wins.
 */
export const KEEP_ALIVE_MS = 50_000
/**
 * Servers send up to four session tickets. Tickets, refused handshakes and new keys cost CPU before any reader sees
 * them.
 */
export const MAX_TLS_MESSAGES = 16

// The provider's responses.

/** What does not count as body (chunk extensions, white space, early hints, trailers) may take as much memory. */
export const MAX_WIRE_BYTES = 1024 * 1024
/** Only names and values count: a header line of one letter counts as one byte and takes 200 of memory. */
export const MAX_HEADER_BYTES = 6 * 1024
/** A user's record has some kilobytes. */
export const MAX_BODY_BYTES = 64 * 1024
/** The object of a chunk takes some hundred bytes, and a chunk may hold a single one. More chunks are joined. */
export const MAX_CHUNKS = 256
/** A user's record has two levels. An application that stores `_json` may call functions that fail at thousands. */
export const MAX_LEVELS = 33
/** A day. A longer wait is cut to it. */
export const MAX_WAIT_SECONDS = 86_400
/** It becomes a header of the profile request, or a part of its URL. */
export const MAX_ACCESS_TOKEN_LENGTH = 4096
/** The length of `user_id`, which applications keep in an indexed column. */
export const MAX_ID_LENGTH = 128
/** The length of each text of a profile, once decoded. */
export const MAX_TEXT_LENGTH = 500
/** Enough for the longest text written as entities; the rest is not decoded. */
export const MAX_RAW_LENGTH = 4096
/** RFC 5321, with the correction of RFC 3696: the longest path less its brackets. */
export const MAX_EMAIL_LENGTH = 254
/** The names of members that a hint shows of a response without a token. */
export const MAX_NAMES = 10
export const MAX_NAME_LEVELS = 3
