const minute = 60_000
const hour = 60 * minute

/**
 * The provider's individual behaviours. Those beyond the specification are our own choice or were observed on deployed
 * servers.
 * @example
 * await FakeProvider.start({ mode: { wrapUser: 'data', keyLifetime: 60_000 } })
 */
export interface ProviderBehaviours {
  /** API errors have status 200 and are only recognisable by the body. Default `false`: with a 4xx status. */
  errorsAtStatus200: boolean
  /** `?auth_key=KEY` is appended to the registered URL without parsing it. Default `false`: the URL is parsed. */
  appendAuthKeyBlindly: boolean
  /** `&` in the redirect URL is sent as `&amp;`. Default `false`. */
  escapeRedirectAmpersands: boolean
  /** Every approval is remembered, so the next login redirects immediately. Default `false`: the user decides. */
  silentReapproval: boolean
  /**
   * A new visit to the login page by the same user invalidates older unused keys for that application. Default
   * `false`.
   */
  replaceKeyOnVisit: boolean
  /** Keys and tokens are 32 lower-case hexadecimal characters. Default `false`: 43 characters of base64url. */
  hexCredentials: boolean
  /** Lifetime of an `auth_key` in milliseconds by the provider's clock. Default ten minutes; `Infinity` is allowed. */
  keyLifetime: number
  /** Lifetime of an `access_token` in milliseconds by the provider's clock. Default 24 hours; `Infinity` is allowed. */
  tokenLifetime: number
  /** A second exchange within the token's lifetime returns the same token. Default `false`: a new one. */
  reuseToken: boolean
  /** `authorize` accepts GET with a query and refuses POST. Default `false`: the reverse. */
  getOnly: boolean
  /**
   * How a POST is refused with `getOnly`: 405 (the default); 404, as if there were no endpoint; or as if the form had
   * not been sent, which is all that servers up to about version 3.13 do: status 200, and "invalid app_id". They read the
   * query of a POST as well.
   */
  postAnswer: 'method-not-allowed' | 'not-found' | 'invalid-app-id'
  /** `authorize` accepts GET with a query as well as POST, unless `getOnly`. Default `false`. */
  getAndPost: boolean
  /**
   * Requests are answered as PHP answers them: with a slash after the path, with a multipart form, and `get_user_info`
   * by any method with the token in the query or a form. Default `false`: they are refused.
   */
  looseRequests: boolean
  /**
   * The login page asks to sign in before it looks at `app_id`, and answers an unknown one with status 200. Default
   * `false`: 400 or 404.
   */
  signInFirst: boolean
  /** The login page is at `/api/oauth2`, too. Default `false`. */
  oauth2Path: boolean
  /** The site is in a folder, `/community`, with the API below it. Default `false`: at the root. */
  inFolder: boolean
  /**
   * A firewall refuses requests without a `User-Agent` to the four endpoints, with a page in HTML and status 403.
   * Default `false`.
   */
  requireUserAgent: boolean
  /** `authorize` answers 302 with the JSON in the redirect's body, and the key is spent. Default `false`. */
  redirectWithJSONBody: boolean
  /** `authorize`, `user/me` and `get_user_info` answer a maintenance page in HTML with status 200. Default `false`. */
  htmlAtStatus200: boolean
  /** JSON is labelled `text/html`. Default `false`: `application/json`. */
  htmlContentType: boolean
  /** The JSON is preceded by a warning from the provider's script. Default `false`. */
  scriptWarnings: boolean
  /** Answers of the API set a session cookie. Default `false`. */
  sessionCookie: boolean
  /** `user/me` does not exist (404, in every mode): a server with only the legacy endpoints. Default `false`. */
  withoutUserMe: boolean
  /** `user/me` does not require `Content-Type: application/json`. Default `false`: it is required (415). */
  contentTypeOptional: boolean
  /** The user's record is wrapped in an object under this name. Default `false`: a bare object. */
  wrapUser: 'user_info' | 'data' | false
  /** Every value of the record is a string (`"1"`, `"0"`). Default `false`: ids are numbers, the flag is a boolean. */
  stringTypes: boolean
  /** Names are HTML-entity-encoded (`O&#039;Brien`). Default `false`. */
  encodeEntities: boolean
  /** Pictures of the provider itself are relative paths. Default `false`: absolute URLs. */
  relativePictures: boolean
  /** `profile_picture` is the same placeholder for everyone. Default `false`: for users without a picture. */
  blankPictures: boolean
  /** The record has the extra fields seen on deployed servers. Default `false`: the ten of the specification. */
  extraFields: boolean
  /** The profile of a deleted user is `[]` with status 200. Default `false`: 404. */
  goneUserAsEmptyArray: boolean
  /** The headers of a rate-limit response, which the specification does not show. Default `'retry-after'`: seconds. */
  rateLimitAnswer: 'retry-after' | 'retry-after-date' | 'x-ratelimit' | 'bare'
}

/**
 * `'specification'` (default), `'as-deployed'`, or your own behaviours on top of the specification.
 * @example
 * provider.setMode('as-deployed') // as deployed servers behave
 */
export type ProviderMode = 'specification' | 'as-deployed' | Partial<ProviderBehaviours>

/**
 * The specification to the letter, with our own choices where it is silent.
 * @example
 * provider.setMode({ ...specification, stringTypes: true })
 */
export const specification: Readonly<ProviderBehaviours> = Object.freeze({
  errorsAtStatus200: false,
  appendAuthKeyBlindly: false,
  escapeRedirectAmpersands: false,
  silentReapproval: false,
  replaceKeyOnVisit: false,
  hexCredentials: false,
  keyLifetime: 10 * minute,
  tokenLifetime: 24 * hour,
  reuseToken: false,
  getOnly: false,
  postAnswer: 'method-not-allowed',
  getAndPost: false,
  looseRequests: false,
  signInFirst: false,
  oauth2Path: false,
  inFolder: false,
  requireUserAgent: false,
  redirectWithJSONBody: false,
  htmlAtStatus200: false,
  htmlContentType: false,
  scriptWarnings: false,
  sessionCookie: false,
  withoutUserMe: false,
  contentTypeOptional: false,
  wrapUser: false,
  stringTypes: false,
  encodeEntities: false,
  relativePictures: false,
  blankPictures: false,
  extraFields: false,
  goneUserAsEmptyArray: false,
  rateLimitAnswer: 'retry-after',
})

/**
 * What most deployed servers do. Spread it to imitate one of them: `{ ...asDeployed, wrapUser: 'data' }`.
 * @example
 * provider.setMode({ ...asDeployed, withoutUserMe: false })
 */
export const asDeployed: Readonly<ProviderBehaviours> = Object.freeze({
  ...specification,
  errorsAtStatus200: true,
  appendAuthKeyBlindly: true,
  silentReapproval: true,
  replaceKeyOnVisit: true,
  hexCredentials: true,
  keyLifetime: Number.POSITIVE_INFINITY,
  postAnswer: 'invalid-app-id',
  looseRequests: true,
  signInFirst: true,
  tokenLifetime: minute,
  reuseToken: true,
  sessionCookie: true,
  contentTypeOptional: true,
  wrapUser: 'user_info',
  stringTypes: true,
  encodeEntities: true,
  relativePictures: true,
  extraFields: true,
  goneUserAsEmptyArray: true,
})

/** The path of the endpoints without a version, in this mode. */
export function apiPath({ inFolder }: ProviderBehaviours): string {
  return inFolder ? '/community/api' : '/api'
}

const choices: Readonly<Record<string, readonly unknown[]>> = {
  postAnswer: ['method-not-allowed', 'not-found', 'invalid-app-id'],
  wrapUser: ['user_info', 'data', false],
  rateLimitAnswer: ['retry-after', 'retry-after-date', 'x-ratelimit', 'bare'],
}

/** Validates a mode and expands it to its behaviours. */
export function behavioursOf(mode: ProviderMode = 'specification'): ProviderBehaviours {
  if (mode === 'specification') return { ...specification }
  if (mode === 'as-deployed') return { ...asDeployed }
  if (typeof mode !== 'object' || mode === null) {
    throw new TypeError("mode must be 'specification', 'as-deployed' or an object of behaviours")
  }
  for (const [name, value] of Object.entries(mode)) {
    if (!Object.hasOwn(specification, name)) throw new TypeError(`mode: there is no behaviour "${name}"`)
    const isLifetime = name.endsWith('Lifetime')
    const allowed = choices[name] ?? [true, false]
    const fits = isLifetime ? typeof value === 'number' && value > 0 : allowed.includes(value)
    const whatFits = isLifetime ? 'a number above 0' : allowed.join(', ')
    if (!fits) throw new TypeError(`mode: "${name}" has a value it cannot take; it takes ${whatFits}`)
  }
  return { ...specification, ...mode }
}
