import type { Page } from 'playwright-core'

/** Collects what nobody should find: console errors and warnings, page errors, failed requests. */
export function watchForTrouble(page: Page): string[] {
  const trouble: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) trouble.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => trouble.push(`page: ${error.message}`))
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // Whoever goes on at once leaves the icon of the last page behind.
    if (reason !== 'net::ERR_ABORTED' || request.isNavigationRequest())
      trouble.push(`request: ${request.url()} ${reason}`)
  })
  return trouble
}
