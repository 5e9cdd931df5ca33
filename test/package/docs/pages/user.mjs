// Quoted: user
export const signIn = document.querySelector('#sign-in')
const signOut = document.querySelector('#sign-out')

export async function showUser() {
  const response = await fetch('/api/me')
  if (!response.ok && response.status !== 401) return // an outage does not tell who is signed in
  const user = response.ok ? await response.json() : undefined
  document.querySelector('#who').textContent = user ? `Signed in as ${user.name}` : 'Not signed in'
  signIn.hidden = user !== undefined
  signOut.hidden = user === undefined
}
// On arrival, also by the back button, and when the person returns from another window.
for (const event of ['pageshow', 'focus']) addEventListener(event, showUser)

signOut.addEventListener('click', async () => {
  await fetch('/api/logout', { method: 'POST' })
  await showUser()
})

export const route = () => location.pathname + location.search + location.hash
export const startURL = (returnTo) => `/auth/social-login?${new URLSearchParams({ returnTo })}`
// end
