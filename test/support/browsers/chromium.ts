import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

/** Where Chromium is looked for. */
export const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const isHere = existsSync(executablePath)

if (!isHere && process.env['REQUIRE_BROWSER'] !== '1') {
  console.log(`Browser tests are skipped: there is no Chromium at ${executablePath} (CHROMIUM_PATH names another).`)
}

/** `describe` where Chromium is, or must be (REQUIRE_BROWSER=1); else `describe.skip`. */
export const describeInChromium: jest.Describe =
  isHere || process.env['REQUIRE_BROWSER'] === '1' ? describe : describe.skip

/** Arguments of a Chromium that keeps to itself: nothing in it calls home. */
export const chromiumArguments: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Starts Chromium without anything that would call home. */
export function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...chromiumArguments], ...options })
}
