import type { Application } from 'express'
import type { Authenticator } from 'passport'
import { type Site, Strategy, type VerifyFunction } from 'passport-social-login'
import { SocialLogin } from 'passport-social-login/web'

/** A table of communities. */
export interface Communities {
  find(name: string | undefined): Promise<Site | undefined>
  findByHost(host: string | undefined): Promise<(Site & { readonly host: string }) | undefined>
}

export function sitesByPath(
  app: Application,
  passport: Authenticator,
  communities: Communities,
  origin: string,
  verify: VerifyFunction,
): Strategy {
  // Quoted: sites by path
  const strategy = new Strategy(
    {
      callbackURL: `${origin}/auth/:site/callback`, // :site becomes the name of the site
      site: (req) => communities.find(String(req.params['site'])), // undefined: there is none
    },
    verify, // finds the account by profile.provider, which is the site's name, and profile.id
  )
  passport.use(strategy)
  app.get('/auth/:site', passport.authenticate('social-login'))
  app.get('/auth/:site/callback', passport.authenticate('social-login', { successRedirect: '/' }))
  // end
  return strategy
}

export function sitesByHost(
  app: Application,
  passport: Authenticator,
  communities: Communities,
  verify: VerifyFunction,
): Strategy {
  // Quoted: sites by host
  const strategy = new Strategy(
    {
      site: async (req) => {
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
  // Quoted: sites on the web
  const login = new SocialLogin({
    callbackURL: `${origin}/auth/:site/callback`,
    site: (request) => communities.find(new URL(request.url).pathname.split('/')[2]),
    keys,
  })
  // end
  return login
}
