// Quoted: popup
import { route, showUser, signIn, startURL } from './user.mjs'

signIn.addEventListener('click', () => {
  // In the click itself: browsers block a popup that opens later.
  const popup = window.open(startURL('/login-done.html'), 'login', 'popup,width=500,height=700')
  if (popup)
    popup.opener = null // by it, the provider, and any page it leads to, could navigate this page elsewhere
  else location.assign(startURL(route()))
})
// Only pages of this origin can write to the channel, and the message carries nothing to trust.
new BroadcastChannel('login').addEventListener('message', showUser)
// end
