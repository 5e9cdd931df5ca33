import 'express-session'
import type { Login, LoginInput } from './storage/accounts'

declare module 'express-session' {
  interface SessionData {
    /** Passport's own: the id that `serializeUser` gave. */
    passport?: { readonly user?: string }
    /** The login that this browser signed in with. Sessions that are older than this field have none. */
    loginID?: string
    /** A login whose person has not yet said that it is theirs. */
    unconfirmed?: UnconfirmedLogin
  }
}

/** What the confirm page is about. */
export interface UnconfirmedLogin {
  /** Random. The form repeats it: an answer to an earlier question, in another tab, is none to this one. */
  readonly id: string
  readonly loginID: string
  /** Whether it is to open an account, or to be added to the one that is signed in. */
  readonly purpose: 'sign-in' | 'link'
  readonly returnTo: string
  /** By the clock of the database. */
  readonly expiresAt: number
}

/** What a login yields, before anything of it is kept. */
export class VerifiedLogin {
  constructor(readonly input: LoginInput) {}
}

/** Who is signed in, as the session was read. */
export class SignedInAccount {
  constructor(
    readonly id: string,
    /** The one used last in front. */
    readonly logins: readonly Login[],
    /** By the clock of the database. */
    readonly readAt: number,
  ) {}
}

/** Who signs in now, by which login, and what they are to be asked first. */
export class SignedInUser {
  constructor(
    readonly id: string,
    readonly loginID: string,
    readonly unconfirmed: UnconfirmedLogin | undefined,
  ) {}
}

/** The id of a user. In an application of your own, declare it in `Express.User` instead; here, tests share the types. */
export function idOf(user: Express.User): string {
  if ('id' in user && typeof user.id === 'string') return user.id
  throw new TypeError('A user of this application has an id')
}
