// Names of members that servers of this kind send. Any other name may be a secret that is repeated, or a person's.
const KNOWN: ReadonlySet<string> = new Set(
  `access_token accessToken account auth authorization body code content count data detail email error error_description errors
   expires expires_in id info items list me message msg name ok payload person profile refresh_token response result results
   scope status success token token_type
   user user_birthdate user_cover user_email user_firstname user_gender user_id user_info user_lastname user_name user_picture
   user_verified username users`.split(/\s+/),
)

/** A member's name for a message: `*` for one that no server is known to send. */
export function nameToShow(name: string): string {
  return KNOWN.has(name) ? name : '*'
}

/** What a message says behind names, if one of them is not shown. */
export function explainOthers(names: string): string {
  return names.includes('*') ? ' (* is another member)' : ''
}
