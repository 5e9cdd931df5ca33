import { once } from 'node:events'
import { createServer } from 'node:http'
import { port, stopServer } from '../app'
import type { BrowserRequest } from '../browser'
import { createTarget, type Target, type TargetOptions } from './target-app'

/** A target that listens on plain http at localhost. */
export interface HTTPTarget extends Target {
  stop(): Promise<void>
}

/** Makes the application that is attacked and listens. */
export async function startTarget(options: Omit<TargetOptions, 'origin'>): Promise<HTTPTarget> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const target = createTarget({ ...options, origin: `http://localhost:${port(server)}` })
  server.on('request', target.app)
  return { ...target, stop: () => stopServer(server) }
}

/** Where the evil page is. */
export const EVIL = 'https://evil.example'

/** What a browser sends with a request that a page of another site caused (recorded in browser-headers.json). */
export function fromEvil(mode: string, dest: string, request: BrowserRequest = {}): BrowserRequest {
  const metadata = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': dest }
  return { ...request, headers: { ...metadata, referer: `${EVIL}/`, ...request.headers } }
}

/** A link or a script of an evil page that navigates the whole tab. */
export const evilNavigation = fromEvil('navigate', 'document')
