import type { BrowserAnswer } from '../../support/browser'
import type { Broken } from './application'
import type { Person } from './visit'

/** An application of the documentation, broken as a new user may break it, and what those who meet it must read. */
export interface Row extends Broken {
  /** How it is broken. */
  readonly broken: string
  /** What the user does, and reads last. Default: a login. */
  readonly visit?: (person: Person) => Promise<BrowserAnswer>
  /** The path of the registered redirect URL. Default: that of the callback. */
  readonly registered?: string
  /** What the process writes; `''` for nothing. */
  readonly terminal: RegExp | ''
  /** What the user reads; undefined where the application does not start. */
  readonly person?: RegExp
  /** What `signIn` says; undefined where it signs in, because only the user did something wrong. */
  readonly tester?: RegExp
}
