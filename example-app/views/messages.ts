import type { OutcomeCode } from 'passport-social-login'

const AGAIN = 'Please try again.'
const PROVIDER_IN_TROUBLE = 'The sign-in service has a problem at the moment. Please try again in a few minutes.'
const SETUP = 'Signing in is not set up correctly here. We have a record of it; trying again will not help yet.'

/** Why a login failed, in words for the person. The library's own messages are for the people who run this. */
const REASONS: Readonly<Record<OutcomeCode, string>> & Readonly<Record<string, string | undefined>> = {
  start_forbidden: 'Please use the button on this page to sign in.',
  speculative_request: 'Please use the button on this page to sign in.',
  session_unavailable: 'We could not keep your visit. Please try again in a few minutes.',
  method_not_allowed: 'Please use the button on this page to sign in.',
  auth_key_missing: `The sign-in service sent you back without an answer. ${AGAIN}`,
  auth_key_malformed: `The sign-in service sent an answer that we could not read. ${AGAIN}`,
  callback_forged:
    'For your safety we stopped: that answer did not come straight from the sign-in service. Please begin here.',
  login_not_started: 'No sign-in was under way in this browser. Please allow cookies for this site, and begin here.',
  login_expired: `That took longer than ten minutes. ${AGAIN}`,
  context_mismatch: `That answer belongs to another sign-in. ${AGAIN}`,
  user_changed: 'Somebody else had signed in here meanwhile, so nothing was changed. Please begin again.',
  tab_mismatch: 'That answer came to another tab than you began in. Please begin here.',
  auth_key_rejected: `The sign-in service did not confirm your sign-in. ${AGAIN}`,
  provider_unreachable: 'The sign-in service cannot be reached at the moment. Please try again in a few minutes.',
  provider_timeout: 'The sign-in service took too long to answer. Please try again in a few minutes.',
  provider_redirected: SETUP,
  provider_unavailable: PROVIDER_IN_TROUBLE,
  provider_rate_limited: 'The sign-in service is very busy. Please try again later.',
  provider_bad_response: PROVIDER_IN_TROUBLE,
  profile_invalid: 'The sign-in service did not say who you are. Please try again later.',
  profile_unauthorized: PROVIDER_IN_TROUBLE,
  overloaded: 'Many people are signing in right now. Please try again in a minute.',
  verify_timeout: 'That took too long on our side. Please try again in a minute.',
  too_many_rejected: 'Too many sign-ins from your network were not confirmed. Please try again in ten minutes.',
  not_me: 'You are not signed in. If you meant to use another account, sign out at the sign-in service first.',
  confirm_expired: `That question is not open any more: it has been answered, or ten minutes have passed. ${AGAIN}`,
  database_unavailable: `Our database could not be reached, so nothing was changed. ${AGAIN}`,
  failed_here: `Something went wrong here. It is not your fault, and we have a record of it. ${AGAIN}`,
  own_login_removed: 'The login was removed. You had signed in with it in this browser, so you are signed out here.',
  signed_out: 'You are signed out.',
  signed_out_everywhere: 'You are signed out, here and in every other browser.',
}

/** The words for a code that came in a query. */
export function reasonFor(code: string): string {
  return (Object.hasOwn(REASONS, code) && REASONS[code]) || `That did not work. ${AGAIN}`
}

const NOTICES: Readonly<Record<string, string | undefined>> = {
  reloaded: 'This is what the provider says now.',
  profile_unauthorized: 'The provider does not answer for this sign-in any more. Sign in again to renew it.',
  linked: 'The login was added: it opens this account from now on.',
  other_question:
    'You answered an earlier question, so nothing was changed. This is another login: look at whose it is, and answer again.',
  not_linked: 'Nothing was added.',
  taken: 'That login opens another account, so it was not added.',
  too_many_logins: 'An account can have ten logins. Remove one before you add another.',
  removed: 'The login was removed.',
  last_login: 'That is the only login of this account: without it, nobody could sign in.',
}

/** The words for a code that came in a query, with the minutes to wait where they are known. */
export function noticeFor(code: string | undefined, waitSeconds?: string): string | undefined {
  if (code === undefined) return undefined
  if (code === 'provider_rate_limited' && waitSeconds !== undefined && /^\d{1,5}$/.test(waitSeconds)) {
    const minutes = Math.max(1, Math.ceil(Number(waitSeconds) / 60))
    const time = minutes === 1 ? 'a minute' : `${minutes} minutes`
    return `The provider has been asked too often for this profile. Please try again in ${time}.`
  }
  return (Object.hasOwn(NOTICES, code) && NOTICES[code]) || reasonFor(code)
}
