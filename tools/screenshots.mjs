// Takes the pictures of the README's start anew, from the example application as `npm start` runs it, with an empty
// DATA_DIR: a browser that is new to it, on the ports that the README names.

import { join } from 'node:path'
import { chromium } from 'playwright-core'

const folder = join(import.meta.dirname, '..', 'example-app', 'screenshots')
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
})
const page = await browser.newPage({ viewport: { width: 640, height: 700 } })

async function look(name, heading) {
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(folder, `start-${name}.png`) })
}

await page.goto('http://localhost:3000/login')
await look('1-sign-in', 'Sign in')
await page.getByRole('button', { name: /^Continue with/ }).click()
await page.waitForURL('http://127.0.0.1:4400/**')
await look('2-provider', 'Sign in')
await page.getByRole('button', { name: /Ada Lovelace/ }).click()
await page.getByRole('button', { name: 'Approve' }).click()
await page.getByRole('button', { name: /^Continue as/ }).click()
await look('3-profile', 'Your profile')
await browser.close()
