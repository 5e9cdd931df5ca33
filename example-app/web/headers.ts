import { createHash } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import helmet from 'helmet'
import { GUARD, GUARD_STYLE } from '../views/assets'
import { HTTPError } from './errors'

/** Sets helmet's headers, with the changes that logins at other sites require. */
export function securityHeaders(providerOrigins: readonly string[], isHTTPS: boolean): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'", hashOf(GUARD_STYLE)],
        scriptSrc: ["'self'", hashOf(GUARD)],
        // Profile pictures are loaded from the communities. If one serves them from another host, add that origin here.
        imgSrc: ["'self'", ...providerOrigins],
        // A login starts with a form, and Chromium applies this directive to the redirect after the form as well. With
        // helmet's default, 'self', the button would silently do nothing.
        formAction: ["'self'", ...providerOrigins],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
        // On http://localhost this would request the provider's pictures and the forms over https, which is not served.
        upgradeInsecureRequests: isHTTPS ? [] : null,
      },
    },
    strictTransportSecurity: isHTTPS,
    xFrameOptions: { action: 'deny' },
    // helmet's default, no-referrer, makes browsers send `Origin: null` with our own forms. Those without Fetch
    // Metadata could then not prove that a login was started on this site.
    referrerPolicy: { policy: 'same-origin' },
  })
}

function hashOf(source: string): string {
  return `'sha256-${createHash('sha256').update(source).digest('base64')}'`
}

/** Refuses forms sent from other sites. Browsers name the sender in one of these headers; other clients send none. */
export const sameOriginForms: RequestHandler = (req, _res, next) => {
  if (req.method === 'GET' || req.method === 'HEAD' || isOwnForm(req)) return next()
  next(new HTTPError(403, 'This form was not sent from a page of this application.'))
}

function isOwnForm(req: Request): boolean {
  const site = req.get('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const from = req.get('origin') ?? req.get('referer')
  // The origins are compared as text, because parsing a URL with a very long host is slow. The scheme counts, because a
  // page of this host by plain http may be an attacker's.
  const own = `${req.protocol}://${req.get('host')}`.toLowerCase()
  return from === undefined || /^https?:\/\/[^/?#]*/i.exec(from)?.[0].toLowerCase() === own
}
