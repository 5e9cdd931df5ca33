import 'express-session'

declare global {
  namespace Express {
    /** Whom `req.user` names: a row of `users`. `passport.authenticate` gives a login, a row with an id as well. */
    interface User {
      readonly id: string
    }
  }
}

declare module 'express-session' {
  interface SessionData {
    /** Passport's own: the id that `serializeUser` gave. */
    passport?: { readonly user?: string }
    /** A login whose person has not yet said that it is theirs. */
    unconfirmed?: UnconfirmedLogin
  }
}

/** What the confirm page is about. */
export interface UnconfirmedLogin {
  readonly loginID: string
  /** Whether it is to open an account, or to be added to the one that is signed in. */
  readonly purpose: 'sign-in' | 'link'
  readonly returnTo: string
  readonly expiresAt: number
}
