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
