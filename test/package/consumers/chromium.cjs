// Signs a person in by clicks at an application of the driver: node chromium.cjs ORIGIN [prefetched]
const assert = require('node:assert/strict')
const { existsSync } = require('node:fs')
const { chromium } = require('playwright-core')

const [, , origin, prefetched] = process.argv
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

async function signIn() {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    const prefetch = prefetched && page.waitForResponse((response) => response.url().startsWith(`${origin}/auth`))
    await page.goto(`${origin}/`)
    await page.hover('a[href="/auth"]')
    await prefetch
    await page.click('a[href="/auth"]')
    await page.getByRole('button', { name: /Ada Lovelace/ }).click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(`${origin}/me`)
    assert.equal(await page.locator('body').innerText(), 'Ada Lovelace')
    console.log('signed in in Chromium')
  } finally {
    await browser.close()
  }
}

if (existsSync(executablePath)) {
  signIn().catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
} else console.log(`without a browser: there is none at ${executablePath}`)
