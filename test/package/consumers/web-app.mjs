// The application of a server without a framework. Copied beside the main file of each consumer that needs no other.
import { SocialLogin } from 'passport-social-login/web'
import { nameIn, optionsFor, sessionOf, userIn } from './session.mjs'

/** @returns a function from Request to the promise of a Response */
export function createApp(provider, origin) {
  const login = new SocialLogin(optionsFor(provider, origin))
  const socialLogin = () => login
  // docs/web.md#next-sveltekit-or-no-framework, block 2
  // docs/web.md#next-sveltekit-or-no-framework, block 3
  return respond
}

function page(pathname, request) {
  const name = nameIn(request)
  if (pathname === '/me') return new Response(name ?? 'nobody', { status: name ? 200 : 401 })
  if (pathname !== '/') return new Response('Not found', { status: 404 })
  return new Response('<a href="/auth">Sign in</a>', { headers: { 'Content-Type': 'text/html' } })
}
