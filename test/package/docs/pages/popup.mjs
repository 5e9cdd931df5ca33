// Quoted: popup
import { route, showUser, signIn, startURL } from './user.mjs'

signIn.addEventListener('click', () => {
  // In the click itself: browsers block a popup that opens later.
  const popup = window.open(startURL('/login-done.html'), 'login', 'popup,width=500,height=700')
  if (!popup) return location.assign(startURL(route()))
  // By it the provider, and any page that a link there leads to, could navigate this page elsewhere.
  popup.opener = null
})
// Only pages of this origin can write to the channel, and the message carries nothing to trust.
new BroadcastChannel('login').addEventListener('message', showUser)
// end
