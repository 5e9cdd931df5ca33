import type { Page } from 'playwright-core'

/** Collects what nobody should find: console errors and warnings, page errors, failed requests. */
export function watchForTrouble(page: Page): string[] {
  const trouble: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) trouble.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => trouble.push(`page: ${error.message}`))
  page.on('requestfailed', (request) => trouble.push(`request: ${request.url()} ${request.failure()?.errorText}`))
  return trouble
}
