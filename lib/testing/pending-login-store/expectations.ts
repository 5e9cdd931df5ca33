import { isDeepStrictEqual } from 'node:util'
import type { PendingLogin } from '../../login/pending-login'
import type { CookieBrowser } from '../cookie-browser'
import type { Deployment } from './deployment'
import { Unsettled } from './store-process'

// Each throws an error that says what was seen instead.

export async function mustReject(method: string, call: Promise<unknown>): Promise<void> {
  const seen = await call.then(
    (value) => `${method} resolved to ${show(value)}`,
    (error: unknown) => (error instanceof Unsettled ? `${method} did not settle within ten seconds` : undefined),
  )
  if (seen !== undefined) throw new Error(seen)
}

export async function mustFind(
  deployment: Deployment,
  browser: CookieBrowser,
  saved: PendingLogin,
  process = 0,
  arrived?: () => Promise<void>,
): Promise<void> {
  const found = await deployment.load(browser, process, arrived)
  if (!found) throw new Error(`load resolved to ${show(found)}${process % 2 === 1 ? ' in the other process' : ''}`)
  if (found.id !== saved.id) throw new Error('load resolved to another login')
  if (found.consumed) throw new Error('load resolved to a consumed login')
  for (const [field, value] of Object.entries(saved)) {
    const now: unknown = Reflect.get(found, field)
    if (!isDeepStrictEqual(now, value)) throw new Error(`${field} was ${show(value)} and came back as ${show(now)}`)
  }
}

export async function mustFindNothing(
  deployment: Deployment,
  browser: CookieBrowser,
  who: string,
  process = 0,
): Promise<void> {
  const found = await deployment.load(browser, process)
  if (found !== undefined) throw new Error(`${who} found ${show(found)}`)
}

export async function mustBeConsumed(deployment: Deployment, browser: CookieBrowser): Promise<void> {
  for (const process of [0, 1]) {
    const found = await deployment.load(browser, process)
    if (found && !found.consumed) throw new Error('load resolved to a login without `consumed: true`')
  }
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 200 ? `${text.slice(0, 200)} …` : text
}
