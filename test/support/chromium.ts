import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const isHere = existsSync(executablePath)

if (!isHere && process.env['REQUIRE_BROWSER'] !== '1') {
  console.log(`Browser tests are skipped: there is no Chromium at ${executablePath} (CHROMIUM_PATH names another).`)
}

/** `describe` where Chromium is, or must be (REQUIRE_BROWSER=1); else `describe.skip`. */
export const describeInBrowser: jest.Describe =
  isHere || process.env['REQUIRE_BROWSER'] === '1' ? describe : describe.skip

/** Starts Chromium without anything that would call home. */
export function launchChromium(): Promise<Browser> {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', ...quiet] })
}
