import { OUTCOMES } from 'passport-social-login'

const AGAIN = 'Please try again.'
const LATER = 'Please try again in a few minutes.'
const USE_THE_BUTTON = 'Please use the button on this page to sign in.'

/** Explains to the user why a login failed. The library's own messages are for developers. */
const REASONS: Readonly<Record<string, string | undefined>> = {
  start_forbidden: USE_THE_BUTTON,
  navigation_required: USE_THE_BUTTON,
  method_not_allowed: USE_THE_BUTTON,
  auth_key_missing: `The sign-in service sent you back without a response. ${AGAIN}`,
  auth_key_malformed: `The sign-in service sent a response that we could not read. ${AGAIN}`,
  callback_forged:
    'For your security, we stopped this sign-in: the response did not come directly from the sign-in service. Please start again here.',
  login_not_started:
    'There is nothing left to finish here. If you are not signed in, please allow cookies for this site and start again.',
  login_expired: `The sign-in took too long. ${AGAIN}`,
  context_mismatch: `That response belongs to a different sign-in. ${AGAIN}`,
  user_changed: 'Someone else signed in here in the meantime, so nothing was changed. Please start again.',
  auth_key_rejected: `The sign-in service did not confirm your sign-in. ${AGAIN}`,
  provider_unreachable: `The sign-in service cannot be reached at the moment. ${LATER}`,
  provider_timeout: `The sign-in service took too long to answer. ${LATER}`,
  provider_rate_limited: 'The sign-in service is very busy. Please try again later.',
  profile_invalid: 'The sign-in service did not tell us who you are. Please try again later.',
  overloaded: 'Many people are signing in right now. Please try again in a minute.',
  not_finished: 'You did not finish signing in. You can continue here.',
  too_many_rejected: 'Too many sign-ins from your network were not confirmed. Please try again in ten minutes.',
  not_me: 'You are not signed in. If you meant to use another account, sign out at the sign-in service first.',
  confirm_expired: `This question has expired or has already been answered. ${AGAIN}`,
  database_unavailable: `Our database could not be reached, so nothing was changed. ${AGAIN}`,
  failed_here: `Something went wrong on our side. It is not your fault, and the problem has been logged. ${AGAIN}`,
  own_login_removed:
    'The login was removed. You had signed in with it in this browser, so you have been signed out here.',
  signed_out:
    'You are signed out. You may still be signed in at the sign-in service: on a shared computer, sign out there, too.',
  signed_out_everywhere: 'You are signed out here and in every other browser.',
}

/** The message for a code from a query. The message for other outcomes depends on who can act on them. */
export function reasonFor(code: string): string {
  const known = Object.hasOwn(REASONS, code) && REASONS[code]
  if (known) return known
  const [, outcome] = Object.entries(OUTCOMES).find(([name]) => name === code) ?? []
  if (outcome?.type !== 'error') return `That did not work. ${AGAIN}`
  // 502 to 504: the provider did not answer, or not as it must.
  if (outcome.status > 500) return `The sign-in service has a problem at the moment. ${LATER}`
  return 'Sign-in is not set up correctly on this site. The problem has been logged; trying again will not help until it has been fixed.'
}

const NOTICES: Readonly<Record<string, string | undefined>> = {
  reloaded: 'Your profile has been reloaded from the provider.',
  profile_unauthorized: 'The provider no longer accepts this sign-in. Sign in again to renew it.',
  other_provider: 'This login is from another provider than those in use now, so it was not reloaded.',
  linked: 'The login was added. You can now sign in to this account with it.',
  other_question:
    'You answered an earlier question, so nothing was changed. This question is about a different login: please check whose it is, and answer again.',
  not_linked: 'No login was added.',
  taken: 'That login belongs to another account, so it was not added.',
  too_many_logins: 'An account can have at most ten logins. Remove one before you add another.',
  removed: 'The login was removed.',
  no_such_login: 'This account does not have that login any more, so nothing was changed.',
  other_account: 'Someone else has signed in to this browser since that page was opened, so nothing was changed.',
  last_login: 'That is the only login by which you can open this account. Without it, you could no longer sign in.',
}

const SUCCESSES = ['reloaded', 'linked', 'removed', 'own_login_removed', 'signed_out', 'signed_out_everywhere']
const HINTS = ['not_finished', 'not_linked', 'not_me', 'confirm_expired', 'other_question']

/** What a page shows about what has just happened. */
export interface Notice {
  readonly kind: 'success' | 'hint' | 'problem'
  readonly text: string
}

/** The notice for a code from a query, with the minutes to wait if they are known. */
export function noticeFor(code: string | undefined, waitSeconds?: string): Notice | undefined {
  if (code === undefined) return undefined
  const kind = SUCCESSES.includes(code) ? 'success' : HINTS.includes(code) ? 'hint' : 'problem'
  return { kind, text: noticeText(code, waitSeconds) }
}

function noticeText(code: string, waitSeconds: string | undefined): string {
  if (code === 'provider_rate_limited' && waitSeconds !== undefined && /^\d{1,5}$/.test(waitSeconds)) {
    const minutes = Math.max(1, Math.ceil(Number(waitSeconds) / 60))
    const time = minutes === 1 ? 'a minute' : `${minutes} minutes`
    return `This profile has been requested from the provider too often. Please try again in ${time}.`
  }
  return (Object.hasOwn(NOTICES, code) && NOTICES[code]) || reasonFor(code)
}
