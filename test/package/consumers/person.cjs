// A person in Chromium at a whole application: a module that exports its Express application, and reads the environment.
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { existsSync } = require('node:fs')
const http = require('node:http')
const { resolve } = require('node:path')
const { chromium } = require('playwright-core')
const { FakeProvider } = require('passport-social-login/testing')

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const warnings = []
process.on('warning', ({ name, message }) => name === 'SocialLoginWarning' && warnings.push(message))

/**
 * @param callbacks for each application to register at the provider, a prefix of its variables and the path of its callback
 * @param live what the person does, at the page of a new browser: `({ page, origin, approve, refuseNext })`
 */
exports.visit = async function visit(file, callbacks, live) {
  const server = http.createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const origin = `http://localhost:${server.address().port}`
  const provider = await FakeProvider.start()
  Object.assign(process.env, { BASE_URL: origin, SESSION_SECRET: 'keyboard cat', SOCIAL_BASE_URL: provider.baseURL })
  for (const [prefix, path] of Object.entries(callbacks)) {
    const { appID, appSecret } = provider.registerApplication({ name: prefix, redirectURL: origin + path })
    Object.assign(process.env, { [`${prefix}_CLIENT_ID`]: appID, [`${prefix}_CLIENT_SECRET`]: appSecret })
  }
  server.on('request', require(resolve(file)))
  if (existsSync(executablePath)) await inChromium(origin, provider, live)
  else console.log(`without a browser: there is none at ${executablePath}`)
  server.closeAllConnections()
  server.close()
  await provider.stop()
  assert.deepEqual(warnings, [], 'no warning of a mistake')
  console.log('ok')
}

async function inChromium(origin, provider, live) {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(10_000)
    const complaints = []
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(`${origin}/`)
    await live({ page, origin, approve, refuseNext: () => refuseNext(provider) })
    assert.deepEqual(complaints, [], 'no script has failed')
  } finally {
    await browser.close()
  }
}

/** At the provider, in a page or a popup. It keeps people signed in. */
async function approve(page, name) {
  const account = page.getByRole('button', { name: new RegExp(name) })
  const another = page.getByRole('button', { name: 'Sign in as someone else' })
  await account.or(another).first().waitFor()
  if (await another.isVisible()) await another.click()
  await account.click()
  await page.getByRole('button', { name: 'Approve' }).click()
}

/** The provider refuses the next key, as one that has expired. */
function refuseNext(provider) {
  const body = JSON.stringify({ error: true, message: 'auth_key expired' })
  provider.failNext('authorize', { status: 400, headers: { 'content-type': 'application/json' }, body })
}
