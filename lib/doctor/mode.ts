type Flag =
  | 'errorsAtStatus200'
  | 'appendAuthKeyBlindly'
  | 'escapeRedirectAmpersands'
  | 'hexCredentials'
  | 'getOnly'
  | 'redirectWithJSONBody'
  | 'htmlAtStatus200'
  | 'htmlContentType'
  | 'scriptWarnings'
  | 'sessionCookie'
  | 'withoutUserMe'
  | 'stringTypes'
  | 'encodeEntities'
  | 'relativePictures'
  | 'extraFields'
  | 'goneUserAsEmptyArray'

/**
 * The behaviours of a provider that the doctor has seen, as a mode of the fake provider. Flags only.
 *
 * Some behaviours show to nobody outside: how long keys and tokens live, what a visit does to an older key, whether an
 * approval is remembered, how a deleted person and an exhausted rate limit are answered. Others need a request that this
 * package never sends.
 */
export interface RecordedMode extends Partial<Record<Flag, boolean>> {
  postAnswer?: 'method-not-allowed' | 'not-found' | 'invalid-app-id'
  wrapUser?: 'user_info' | 'data' | false
}
