// Signs a person in by clicks at an application of the driver: node chromium.cjs ORIGIN OPTIONS
const assert = require('node:assert/strict')
const { existsSync } = require('node:fs')
const { chromium } = require('playwright-core')

const [, , origin, options] = process.argv
const { prefetches, hasWalls, noted } = JSON.parse(options)
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

async function signIn() {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    const complaints = []
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }))
    const account = page.getByRole('button', { name: /Ada Lovelace/ })
    const prefetch = prefetches && page.waitForResponse((response) => response.url().startsWith(`${origin}/auth`))
    await page.goto(`${origin}/`, { waitUntil: 'networkidle' })
    await page.hover('a[href="/auth"]')
    await prefetch
    await page.click('a[href="/auth"]')
    await account.waitFor()
    await page.goBack({ waitUntil: 'networkidle' })
    assert.equal(page.url(), `${origin}/`, 'Back leads back')
    await page.click('a[href="/auth"]')
    await account.click()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(`${origin}/me`)
    assert.equal(await page.locator('body').innerText(), 'Ada Lovelace')
    const disturbing = complaints.filter((text) => noted === undefined || !text.includes(noted))
    assert.deepEqual(disturbing, [], 'the console has nothing to understand')
    if (hasWalls) await openWalls(browser)
    console.log('signed in in Chromium')
  } finally {
    await browser.close()
  }
}

/** Another site opens a page for signed-in people only. */
async function openWalls(browser) {
  const open = async (path) => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(`${origin.replace('localhost', '127.0.0.1')}/me`)
    await page.evaluate((url) => location.assign(url), `${origin}${path}`)
    return { page, hasBegun: async () => (await context.cookies(origin)).length > 0 }
  }
  const naive = await open('/naive-wall')
  await naive.page.getByRole('button', { name: /Ada Lovelace/ }).waitFor()
  assert.ok(await naive.hasBegun(), 'the danger: a login has begun without a click')
  const ours = await open('/wall')
  await ours.page.getByRole('link', { name: 'Sign in' }).waitFor()
  assert.equal(await ours.hasBegun(), false)
}

if (existsSync(executablePath)) {
  signIn().catch((error) => {
    console.error(error)
    process.exitCode = 1
  })
} else console.log(`without a browser: there is none at ${executablePath}`)
