// What is refused in the ordinary way, and what an attacker sends to be refused more slowly.
const HOST = encodeURIComponent('\u5bbd'.repeat(1600))
const navigation = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
const framed = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' }
const crossSite = { 'Sec-Fetch-Site': 'cross-site', ...navigation }
const key = 'auth_key=0123456789abcdef0123456789abcdef'

const requests = (path, ordinary) => ({
  'ordinary refused': [path, ordinary],
  'Referer, 15 KB of host': [path, { ...ordinary, Referer: `https://${HOST}/` }],
  'Origin, 15 KB of host': [path, { ...ordinary, Origin: `https://${HOST}` }],
  'Host, 15 KB': [path, { ...ordinary, Host: HOST }],
  'Host and Referer, 7 KB each': [path, { Host: HOST.slice(0, 7200), Referer: `https://${HOST.slice(0, 7200)}/` }],
  'absolute form, 15 KB of host': [`http://${HOST}${path}`, ordinary],
  'a query of 4,000 characters': [`${path}${path.includes('?') ? '&' : '?'}${'a&'.repeat(1950)}`, ordinary],
  'a query of 14 KB': [`${path}${path.includes('?') ? '&' : '?'}${'a&'.repeat(7000)}`, ordinary],
  'a path of 4,000 slashes': [path.replace('?', `${'/'.repeat(3900)}?`), ordinary],
  'a returnTo of 1,000 characters of host': [
    `${path}${path.includes('?') ? '&' : '?'}returnTo=//${encodeURIComponent('\u5bbd'.repeat(330))}`,
    ordinary,
  ],
})

const big = 60_000
const profile = (fields) => JSON.stringify({ user_id: '1', ...fields })
const hosts = '\u5bbd'.repeat(20_000)

export const cases = {
  'Express alone': requests('/bare', framed),
  start: requests('/auth', framed),
  callback: requests(`/callback?${key}`, crossSite),
  'callback, CookieStore': {
    ...requests(`/cookie/callback?${key}`, crossSite),
    'a cookie header of 14,000 semicolons': [
      `/cookie/callback?${key}`,
      { ...crossSite, Cookie: `__Host-social-login=x${';'.repeat(14_000)}` },
    ],
    'a sealed cookie of 3,900 dots': [
      `/cookie/callback?${key}`,
      { ...crossSite, Cookie: `__Host-social-login=${'.'.repeat(3900)}` },
    ],
    'a sealed cookie of 4,000 characters of rubbish': [
      `/cookie/callback?${key}`,
      {
        ...crossSite,
        Cookie: `__Host-social-login=${'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'}..${'A'.repeat(3900)}.AAAA.AAAA`,
      },
    ],
  },
  profile: {
    'ordinary refused': '{"user_id":0}',
    'a picture, 60 KB of host': profile({ user_picture: `https://${hosts}/a.jpg` }),
    'pictures of 250 characters of host': profile(
      Object.fromEntries(
        ['user_picture', 'user_cover', 'profile_picture', 'profile_cover'].map((name) => [
          name,
          `https://${'\u5bbd'.repeat(250)}/a.jpg`,
        ]),
      ),
    ),
    'a name of 60 KB of entities': profile({ user_name: '&amp;'.repeat(big / 5), user_firstname: 'x' }),
    'a name of invisible characters': profile({ user_name: '\u200b'.repeat(big / 3) }),
    'an address of 60 KB': profile({ user_email: `${'a'.repeat(big)}@` }),
    '6,000 fields': profile(Object.fromEntries(Array.from({ length: 6000 }, (_, n) => [`f${n}`, 1]))),
    'arrays, 30,000 deep': profile({ x: 0 }).replace('0', '['.repeat(30_000)),
    'a number of 60,000 digits': profile({ x: 0 }).replace('0', '1'.repeat(big)),
    '30,000 numbers': profile({ x: 0 }).replace('0', `[${'1,'.repeat(29_000)}1]`),
  },
}
