import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'

const executable = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
)

/** `describe`, or `describe.skip` with a printed reason where there is no Chromium and none is required. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (executable !== undefined || process.env['REQUIRE_BROWSER'] === '1') return describe(name, tests)
  console.log(`Skipped for want of a Chromium (set CHROMIUM_PATH): ${name}`)
  describe.skip(name, tests)
}

/** A real Chromium that calls nobody but the pages of the test. */
export function launchBrowser(): Promise<Browser> {
  if (executable === undefined) throw new Error('There is no Chromium: install it, or set CHROMIUM_PATH')
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox', '--disable-gpu', ...quiet] })
}

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
