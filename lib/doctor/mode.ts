import { isObject } from '../client/json'

/**
 * The behaviours of a site that the doctor has seen, as a mode of the fake provider. Flags only.
 *
 * Some behaviours show to nobody outside: how long keys and tokens live, what a visit does to an older key, whether an
 * approval is remembered, how a deleted person and an exhausted rate limit are answered.
 */
export interface RecordedMode {
  errorsAtStatus200?: boolean
  appendAuthKeyBlindly?: boolean
  escapeRedirectAmpersands?: boolean
  hexCredentials?: boolean
  reuseToken?: boolean
  getOnly?: boolean
  postAnswer?: 'method-not-allowed' | 'not-found' | 'invalid-app-id'
  requireUserAgent?: boolean
  redirectWithJSONBody?: boolean
  htmlAtStatus200?: boolean
  htmlContentType?: boolean
  scriptWarnings?: boolean
  sessionCookie?: boolean
  withoutUserMe?: boolean
  contentTypeOptional?: boolean
  wrapUser?: 'user_info' | 'data' | false
  stringTypes?: boolean
  encodeEntities?: boolean
  relativePictures?: boolean
  extraFields?: boolean
  goneUserAsEmptyArray?: boolean
}

const NAMES: Readonly<Record<keyof RecordedMode, true>> = {
  errorsAtStatus200: true,
  appendAuthKeyBlindly: true,
  escapeRedirectAmpersands: true,
  hexCredentials: true,
  reuseToken: true,
  getOnly: true,
  postAnswer: true,
  requireUserAgent: true,
  redirectWithJSONBody: true,
  htmlAtStatus200: true,
  htmlContentType: true,
  scriptWarnings: true,
  sessionCookie: true,
  withoutUserMe: true,
  contentTypeOptional: true,
  wrapUser: true,
  stringTypes: true,
  encodeEntities: true,
  relativePictures: true,
  extraFields: true,
  goneUserAsEmptyArray: true,
}

/** Whether a file may be a record, which holds nothing but such behaviours. */
export function isRecord(value: unknown): boolean {
  return isObject(value) && Object.keys(value).every((name) => Object.hasOwn(NAMES, name))
}
