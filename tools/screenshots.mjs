// Renews the screenshots of the README and the example's README from the example application as `npm start` runs it, on
// its own ports, with an empty DATA_DIR (needs Debian's package pngquant):
//   node tools/screenshots.mjs
// With a folder, every page of the example and of the fake provider, at two widths, light and dark:
//   node tools/screenshots.mjs FOLDER
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { shrink } from './shrink.mjs'

const APP = 'http://localhost:3000'
const PROVIDER = 'http://127.0.0.1:4400'
const SECOND_PROVIDER = 'http://127.0.0.1:4500'
const DESKTOP = { width: 1000, height: 720 }
const PHONE = { width: 375, height: 720 }
const START = { width: 640, height: 700 }
// What is written into the repository: pages, by the names of the walk below.
const SHOWN = {
  login: { login: DESKTOP, 'start-1-sign-in': START },
  'provider-login-people': { 'start-2-provider': START },
  confirm: { confirm: DESKTOP },
  profile: { profile: DESKTOP, 'start-3-profile': START },
  'account-linked': { linked: DESKTOP },
}
const REASONS = ['login_not_started', 'login_expired', 'auth_key_rejected', 'provider_unavailable', 'overloaded']

const [everything] = process.argv.slice(2)
const shownFolder = join(import.meta.dirname, '..', 'example-app', 'screenshots')
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const page = await browser.newPage({ viewport: DESKTOP })

/** Takes the pictures of the page that is open. */
async function look(name) {
  await page.waitForLoadState('networkidle')
  // The buttons of questions are hidden for their first moments.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState === 'finished'))
  await page.waitForFunction(() => !document.querySelector('.guarding'))
  const sizes = everything ? { [`${name}-desktop`]: DESKTOP, [`${name}-phone`]: PHONE } : (SHOWN[name] ?? {})
  for (const [file, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    for (const colorScheme of everything ? ['light', 'dark'] : ['light']) {
      await page.emulateMedia({ colorScheme })
      const path = everything ? join(everything, `${file}-${colorScheme}.png`) : join(shownFolder, `${file}.png`)
      await page.screenshot({ path, fullPage: Boolean(everything) })
      shrink(path)
    }
  }
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: 'light' })
}

async function open(name, url) {
  await page.goto(url)
  await look(name)
}

async function press(name) {
  await page.getByRole('button', { name }).first().click()
}

/** From a provider's list of users back to the application. */
async function approveAs(person, name, provider = PROVIDER) {
  await page.waitForURL(`${provider}/**`)
  await look(`${name}-people`)
  await press(person)
  await approve(name, provider)
}

/** A user who is signed in at the provider need not choose one. */
async function approve(name, provider = PROVIDER) {
  await page.waitForURL(`${provider}/**`)
  await look(`${name}-approval`)
  await press('Approve')
  await page.waitForURL(`${APP}/**`)
}

async function exampleSignedOut() {
  await open('home', APP)
  await open('login', `${APP}/login`)
  for (const reason of REASONS) await open(`login-${reason}`, `${APP}/login?reason=${reason}`)
  await open('not-found', `${APP}/nothing-here`)
  // A start that was typed into the address bar.
  await open('start-typed', `${APP}/auth/social-login`)
}

async function exampleSignedIn() {
  await page.goto(`${APP}/login`)
  await press(/^Continue with/)
  await approveAs(/Ada Lovelace/, 'provider-login')
  await look('confirm')
  await press('Not me')
  await page.waitForURL(`${APP}/login**`)
  await look('login-not-me')
  await press(/^Continue with/)
  await approve('provider-login-again')
  await press(/^Continue as/)
  await page.waitForURL(`${APP}/profile`)
  await look('profile')
  await open('home-signed-in', APP)
  await open('account', `${APP}/account`)
}

async function exampleLinking() {
  await press('Add another login at Fake Chess Club')
  await approveAs(/Ada Lovelace/, 'provider-link', SECOND_PROVIDER)
  await look('link')
  await press('Add this login')
  await page.waitForURL(`${APP}/account**`)
  await look('account-linked')
  await page.locator('summary').first().click()
  await look('account-remove')
  await open('profile-linked', `${APP}/profile`)
}

async function providerPages() {
  await open('provider-home', `${PROVIDER}/`)
  await open('provider-developers', `${PROVIDER}/developers`)
  await open('provider-people-list', `${PROVIDER}/users`)
  await page.getByRole('link', { name: /Ada Lovelace/ }).click()
  await look('provider-person')
  await open('provider-unknown-application', `${PROVIDER}/api/oauth?app_id=unknown`)
  await open('provider-not-found', `${PROVIDER}/nothing-here`)
}

if (everything) mkdirSync(everything, { recursive: true })
await exampleSignedOut()
await exampleSignedIn()
await exampleLinking()
if (everything) await providerPages()
await browser.close()
