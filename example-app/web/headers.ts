import type { Request, RequestHandler } from 'express'
import helmet from 'helmet'
import { HTTPError } from './errors'

/** helmet's headers, with the changes that a login through another site needs. */
export function securityHeaders(providerOrigin: string, isHTTPS: boolean): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // People's pictures are shown from the provider. Where it keeps them on another host, add that origin here.
        imgSrc: ["'self'", providerOrigin],
        // The login starts with a form. Chromium holds this directive against the redirect behind the form as well:
        // with helmet's default, 'self', the button does nothing and nothing says why.
        formAction: ["'self'", providerOrigin],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        // On http://localhost this would turn the provider's pictures and the forms into https, where nobody listens.
        upgradeInsecureRequests: isHTTPS ? [] : null,
      },
    },
    strictTransportSecurity: isHTTPS,
    xFrameOptions: { action: 'deny' },
    // helmet's default, no-referrer, makes the Origin of our own forms "null": browsers without Fetch Metadata would
    // have no way left to show that a login was started here.
    referrerPolicy: { policy: 'same-origin' },
  })
}

/** Refuses forms that another site sent. Every browser says so in one of these headers; tools say nothing. */
export const sameOriginForms: RequestHandler = (req, _res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD' || isOwnForm(req)) return next()
  next(new HTTPError(403, 'This form was not sent from a page of this application.'))
}

function isOwnForm(req: Request): boolean {
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const from = req.get('origin') ?? req.get('referer')
  // Compared as text: URL parsers take long for long hosts.
  return (
    from === undefined || /^https?:\/\/([^/?#]*)/i.exec(from)?.[1]?.toLowerCase() === req.get('host')?.toLowerCase()
  )
}
