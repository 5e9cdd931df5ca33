import type { OutcomeCode } from '../errors'
import type { AppCode } from './app/findings'
import { CHECKS, type FindingCode } from './findings'
import type { Probe } from './probe'
import { printable } from './text'

/** `good`: as the specification says. `differs`: works, or can be made to. `broken`: no login, or no safe one. */
export type Level = 'good' | 'differs' | 'broken'

/** What one check has found. */
export interface Finding {
  readonly level: Level
  /** For programs; sentences may change. */
  readonly code: FindingCode | AppCode | OutcomeCode
  /** What was checked. */
  readonly check: string
  /** What was found and what it means. */
  readonly message: string
}

/** Options of the strategy that suit the provider. */
export interface SuggestedOptions {
  baseURL?: string
  clientID?: string
  callbackURL?: string
  exchangeMethod?: 'get'
  profileEndpoint?: 'get_user_info'
  allowedCallbackOrigins?: readonly string[]
  uploadsURL?: string
  userAgent?: string
  timeout?: number
  /** Whether requests must go through the proxy that the environment names. */
  proxied?: true
}

type Flag =
  | 'errorsAtStatus200'
  | 'appendAuthKeyBlindly'
  | 'escapeRedirectAmpersands'
  | 'hexCredentials'
  | 'getOnly'
  | 'getAndPost'
  | 'signInFirst'
  | 'redirectWithJSONBody'
  | 'htmlAtStatus200'
  | 'htmlContentType'
  | 'scriptWarnings'
  | 'sessionCookie'
  | 'withoutUserMe'
  | 'stringTypes'
  | 'encodeEntities'
  | 'relativePictures'
  | 'blankPictures'
  | 'extraFields'
  | 'goneUserAsEmptyArray'

/** The behaviours of a provider that the doctor has seen, as a mode of the fake provider. */
export interface RecordedMode extends Partial<Record<Flag, boolean>> {
  postAnswer?: 'method-not-allowed' | 'not-found' | 'invalid-app-id'
  wrapUser?: 'user_info' | 'data' | false
}

/** Follows an examination: a terminal, or a test. */
export interface Observer {
  /** Called before each step. */
  progress(text: string): void
  finding(finding: Finding): void
}

// An address is encoded this often only to hide its content.
const MAX_ENCODINGS = 20
// A shorter secret would be found in ordinary words.
const MIN_SECRET_LENGTH = 4

/** The state of one examination: what was found so far, and by what. */
export class Examination {
  readonly findings: Finding[] = []
  readonly options: SuggestedOptions = {}
  readonly mode: RecordedMode = {}
  /** Whether a login will be tried, which shows more than the refusals of invented values. */
  loginFollows = false
  /** Each adds a finding. */
  readonly good = this.#reporter('good')
  readonly differs = this.#reporter('differs')
  readonly broken = this.#reporter('broken')
  readonly #secrets = new Set<string>()

  constructor(
    readonly probe: Probe,
    private readonly observer: Observer,
  ) {}

  /** Whether any finding is `broken`. */
  get isBroken(): boolean {
    return this.findings.some(({ level }) => level === 'broken')
  }

  /** Keeps a text out of all findings and options, where a hostile provider could have it repeated. */
  hide(secret: string): void {
    for (const form of decodings(secret)) if (form.length >= MIN_SECRET_LENGTH) this.#secrets.add(form)
  }

  /** Whether a text may be shown. */
  isHarmless(text: string): boolean {
    const forms = decodings(text)
    const isShown = (secret: string): boolean => forms.some((form) => form.includes(secret))
    return forms.length <= MAX_ENCODINGS && ![...this.#secrets].some(isShown)
  }

  progress(text: string): void {
    this.observer.progress(text)
  }

  /**
   * Reports what the answers to invented values suggest: `broken`, unless a login follows, which may show otherwise.
   */
  suspect(code: FindingCode, message: string): void {
    if (this.loginFollows) this.unclear(code, message)
    else this.broken(code, message)
  }

  /** Reports answers to invented values that leave open whether logins work. */
  unclear(code: FindingCode, message: string): void {
    const doubt = this.loginFollows ? 'The login will show.' : 'Logins may work: only one (--login) can show it.'
    this.differs(code, `${message} ${doubt}`)
  }

  #reporter(level: Level) {
    return (code: FindingCode, message: string): void => {
      const shown = this.isHarmless(message)
        ? printable(message)
        : 'The provider repeated a secret, which is left out here.'
      const finding = { level, code, check: CHECKS[code], message: shown }
      this.findings.push(finding)
      this.observer.finding(finding)
    }
  }
}

/**
 * The text in lower case, and what percent-decoding makes of it, again and again. A malformed escape does not keep
 * others from being read.
 */
function decodings(text: string): string[] {
  const forms = [text.toLowerCase()]
  for (let last = text; forms.length <= MAX_ENCODINGS; ) {
    const plain = last.replace(/(?:%[\da-f]{2})+/gi, decodeBytes)
    if (plain === last) break
    forms.push(plain.toLowerCase())
    last = plain
  }
  return forms
}

function decodeBytes(escapes: string): string {
  const bytes = Buffer.from(escapes.replaceAll('%', ''), 'hex')
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? bytes.toString('latin1') : text
}
