// Quoted: sign in
import { route, signIn, startURL } from './user.mjs'

signIn.addEventListener('click', () => location.assign(startURL(route())))
// end
