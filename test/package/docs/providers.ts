import type { Application } from 'express'
import type { Authenticator } from 'passport'
import { type Provider, Strategy, type VerifyFunction } from 'passport-social-login'
import { SocialLogin } from 'passport-social-login/web'

/** A table of communities. */
export interface Communities {
  find(name: string | undefined): Promise<Provider | undefined>
  findByHost(host: string | undefined): Promise<(Provider & { readonly host: string }) | undefined>
}

export function sitesByPath(
  app: Application,
  passport: Authenticator,
  communities: Communities,
  origin: string,
  verify: VerifyFunction,
): Strategy {
  // Quoted: communities by path
  const strategy = new Strategy(
    {
      callbackURL: `${origin}/auth/:provider/callback`, // :provider becomes the name of the provider
      provider: (req) => communities.find(String(req.params['provider'])), // undefined: there is none
    },
    verify, // finds the account by profile.provider, which is the provider's name, and profile.id
  )
  passport.use(strategy)
  app.get('/auth/:provider', passport.authenticate('social-login'))
  app.get('/auth/:provider/callback', passport.authenticate('social-login', { successRedirect: '/' }))
  // end
  return strategy
}

export function sitesByHost(
  app: Application,
  passport: Authenticator,
  communities: Communities,
  verify: VerifyFunction,
): Strategy {
  // Quoted: communities by host
  const strategy = new Strategy(
    {
      provider: async (req) => {
        const community = await communities.findByHost(req.headers.host)
        return community && { ...community, callbackURL: `https://${community.host}/auth/callback` }
      },
    },
    verify,
  )
  passport.use(strategy)
  app.get('/auth', passport.authenticate('social-login'))
  app.get('/auth/callback', passport.authenticate('social-login', { successRedirect: '/' }))
  // end
  return strategy
}

export function sitesOnTheWeb(communities: Communities, origin: string, keys: string[]): SocialLogin {
  // Quoted: communities on the web
  const login = new SocialLogin({
    callbackURL: `${origin}/auth/:provider/callback`,
    provider: (request) => communities.find(new URL(request.url).pathname.split('/')[2]),
    keys,
  })
  // end
  return login
}
