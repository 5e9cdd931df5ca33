import type { RequestListener } from 'node:http'
import type { SessionOptions } from 'express-session'
import { FakeProvider } from '../../../lib/testing'
import { PROBES } from '../attacks/header-rows'
import { page } from '../attacks/pages'
import { createTarget, type Kind, SOCIAL, type Target, type TargetOptions, type Visit } from '../attacks/target-app'
import type { Sites } from './sites'

/** How the provider's login page returns to the application. */
export type Way = 'real' | 'form' | 'link' | 'script' | '302' | '307' | 'no-referrer link'

/** Options of a test's world. */
export interface WorldOptions extends Partial<Omit<TargetOptions, 'origin' | 'kind' | 'logins' | 'dispatcher'>> {
  readonly kind: Kind
  /** Default: `302`, a silent approval. */
  readonly way?: Way
  /** The `Referrer-Policy` of the application's home page. */
  readonly referrerPolicy?: string
  readonly session?: Partial<SessionOptions>
  /** Links accounts to the signed-in user instead of signing in. */
  readonly link?: boolean
}

/** The application, the provider and two hostile hosts, each with its pages. */
export interface World {
  readonly target: Target
  readonly provider: FakeProvider
  readonly app: string
  readonly evil: string
  readonly sub: string
  readonly providerOrigin: string
  /** Adds a page to the attacker's host. @returns its URL */
  evilPage(html: string): string
  /** Adds a redirect to the attacker's host. @returns its URL */
  evilRedirect(to: string): string
  /** Adds a page to the application's subdomain. @returns its URL */
  subPage(html: string, headers?: Record<string, string | string[]>): string
  /** The callback with the attacker's key. */
  forged(): string
  /** Resolves with the first matching visit. */
  visited(fits: (visit: Visit) => boolean): Promise<Visit>
}

const PATIENCE_MS = 8000

export const ATTACKER = '2'
export const VICTIM = '1'

export const isStart = ({ path }: Visit): boolean => /^\/auth\/[^/]+$/.test(path.split('?', 1).join())
export const isCallback = ({ path }: Visit): boolean => path.includes('/callback')

/** Serves new pages and a new application on the sites, replacing any earlier world. */
export function createWorld(
  sites: Sites,
  { way = '302', referrerPolicy, before, link = false, ...options }: WorldOptions,
): World {
  const provider = new FakeProvider({ origin: sites.origin('provider.test') })
  const target = createTarget({
    origin: sites.origin('app.test'),
    logins: [{ name: SOCIAL, provider, link }],
    dispatcher: sites.dispatcher,
    ...options,
    before: (app) => {
      app.use(['/', '/auth'], (req, res, next) => {
        if (!req.headers.cookie?.includes('probe')) res.append('Set-Cookie', Object.values(PROBES))
        if (req.path === '/' && referrerPolicy !== undefined) res.set('Referrer-Policy', referrerPolicy)
        next()
      })
      before?.(app)
    },
  })
  const evil = new Pages()
  const sub = new Pages()
  sites.serve('app.test', target.app)
  sites.serve('provider.test', way === 'real' ? provider.requestListener : scripted(provider, target, way))
  sites.serve('evil.test', evil.listener)
  sites.serve('sub.app.test', sub.listener)
  return {
    target,
    provider,
    app: sites.origin('app.test'),
    evil: sites.origin('evil.test'),
    sub: sites.origin('sub.app.test'),
    providerOrigin: sites.origin('provider.test'),
    evilPage: (html) => sites.origin('evil.test') + evil.add(html),
    evilRedirect: (to) => sites.origin('evil.test') + evil.add('', { location: to }),
    subPage: (html, headers) => sites.origin('sub.app.test') + sub.add(html, headers),
    forged: () => target.approved(ATTACKER),
    visited: (fits) =>
      untilDefined(() => target.visits.find(fits), `${fits} among ${target.visits.map(({ verdict }) => verdict)}`),
  }
}

/** A provider whose login page returns in the given way; its API is the real one. */
function scripted(provider: FakeProvider, target: Target, way: Way): RequestListener {
  return (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', provider.origin)
    const html = (body: string, headers = {}) =>
      res.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
    const redirect = (status: number, location: string) => res.writeHead(status, { location }).end()
    if (pathname === '/open-redirect') return redirect(302, searchParams.get('to') ?? '/')
    if (pathname === '/approve') return redirect(way === '307' ? 307 : 302, target.approved(VICTIM))
    if (pathname !== '/api/oauth') return provider.requestListener(req, res)
    if (way === '302') return redirect(302, target.approved(VICTIM))
    if (way === 'form' || way === '307') {
      return html(page('<form method="post" action="/approve"><button id="go">Approve</button></form>'))
    }
    const link = `<a id="go" href="${target.approved(VICTIM)}">Go on</a>`
    if (way === 'no-referrer link') return html(page(link), { 'referrer-policy': 'no-referrer' })
    return html(page(way === 'link' ? link : `${link}<script>location = document.links[0].href</script>`))
  }
}

class Pages {
  readonly #pages: { readonly html: string; readonly headers: Record<string, string | string[]> }[] = []

  readonly listener: RequestListener = (req, res) => {
    const found = this.#pages[Number(/^\/(\d+)/.exec(req.url ?? '')?.[1] ?? -1)]
    if (!found) return res.writeHead(404).end()
    if (found.headers['location'] !== undefined) return res.writeHead(302, found.headers).end()
    return res.writeHead(200, { 'content-type': 'text/html', ...found.headers }).end(page(found.html))
  }

  add(html: string, headers: Record<string, string | string[]> = {}): string {
    return `/${this.#pages.push({ html, headers }) - 1}`
  }
}

/** Waits until the condition holds. A condition that fails, as in a page that is being left, does not hold yet. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  await untilDefined(async () => (await condition()) || undefined, String(condition))
}

/** Waits until the value is defined, and returns it. */
export async function untilDefined<T>(look: () => T | undefined | Promise<T | undefined>, what = ''): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    let cause: unknown
    try {
      const found = await look()
      if (found !== undefined) return found
    } catch (error) {
      cause = error
    }
    if (Date.now() > deadline) throw new Error(`waited ${PATIENCE_MS} ms in vain for: ${what || look}`, { cause })
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
