import type { Page } from 'playwright-core'

/** Collects console errors and warnings, page errors and failed requests. */
export function watchForTrouble(page: Page): string[] {
  const trouble: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) trouble.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => trouble.push(`page: ${error.message}`))
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText
    // A quick navigation aborts the icon request of the previous page.
    if (reason !== 'net::ERR_ABORTED' || request.isNavigationRequest())
      trouble.push(`request: ${request.url()} ${reason}`)
  })
  return trouble
}
