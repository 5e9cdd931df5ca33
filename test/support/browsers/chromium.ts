import { existsSync } from 'node:fs'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

/** The path of Chromium. */
export const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium'
const isHere = existsSync(executablePath)

if (!isHere && process.env['REQUIRE_BROWSER'] !== '1') {
  console.log(`Browser tests are skipped: there is no Chromium at ${executablePath} (CHROMIUM_PATH names another).`)
}

/** `describe` if Chromium is installed or required (REQUIRE_BROWSER=1); else `describe.skip`. */
export const describeInChromium: jest.Describe =
  isHere || process.env['REQUIRE_BROWSER'] === '1' ? describe : describe.skip

/** Arguments that disable Chromium's background requests. */
export const chromiumArguments: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
]

/** Starts Chromium without background requests. */
export function launchChromium(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...chromiumArguments], ...options })
}
