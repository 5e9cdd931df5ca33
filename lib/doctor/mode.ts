import { isObject } from '../client/json'

const FLAGS = [
  'errorsAtStatus200',
  'appendAuthKeyBlindly',
  'escapeRedirectAmpersands',
  'hexCredentials',
  'getOnly',
  'redirectWithJSONBody',
  'htmlAtStatus200',
  'htmlContentType',
  'scriptWarnings',
  'sessionCookie',
  'withoutUserMe',
  'stringTypes',
  'encodeEntities',
  'relativePictures',
  'extraFields',
  'goneUserAsEmptyArray',
] as const

/**
 * The behaviours of a provider that the doctor has seen, as a mode of the fake provider. Flags only.
 *
 * Some behaviours show to nobody outside: how long keys and tokens live, what a visit does to an older key, whether an
 * approval is remembered, how a deleted person and an exhausted rate limit are answered. Others need a request that this
 * package never sends.
 */
export interface RecordedMode extends Partial<Record<(typeof FLAGS)[number], boolean>> {
  postAnswer?: 'method-not-allowed' | 'not-found' | 'invalid-app-id'
  wrapUser?: 'user_info' | 'data' | false
}

const NAMES: ReadonlySet<string> = new Set([...FLAGS, 'postAnswer', 'wrapUser'])

/** Whether a file may be a record, which holds nothing but such behaviours. */
export function isRecord(value: unknown): boolean {
  return isObject(value) && Object.keys(value).every((name) => NAMES.has(name))
}
