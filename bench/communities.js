// The communities on which provider, application and load agree. All of 127.0.0.0/8 is this machine: one listener serves them all.
export const COMMUNITIES = 10_000
const SHARED_ADDRESSES = 50

export const communityName = (index) => `community-${index}`

/** Every other community has an address of its own; the others share fifty. */
export function addressOf(index) {
  if (index % 2 === 0) return `127.1.${index >> 8}.${index & 255}`
  return `127.2.0.${((index >> 1) % SHARED_ADDRESSES) + 1}`
}

/** The community to which the person of a login belongs, by the number in its key. */
export const siteOfKey = (key) => Number(key.slice(1)) % COMMUNITIES
