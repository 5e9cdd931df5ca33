import { reasonFor } from './reasons'

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
