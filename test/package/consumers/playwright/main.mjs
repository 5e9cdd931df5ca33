// The tests of docs/guides/testing.md, at free ports instead of 3000 and 4400.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return String(port)
}

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const launchOptions = JSON.stringify({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const [appPort, providerPort] = [await freePort(), await freePort()]
for (const file of ['playwright.config.ts', 'cypress/fake-provider.js']) {
  // As it is in the guide: another runtime may have run here before.
  const original = `${file}.original`
  if (!existsSync(original)) copyFileSync(file, original)
  const text = readFileSync(original, 'utf8').replaceAll('3000', appPort).replaceAll('4400', providerPort)
  const here = text.replace('baseURL: app', `baseURL: app, launchOptions: ${launchOptions}`)
  writeFileSync(file, here.replace(' --app-id', ` --port ${providerPort} --app-id`))
}
const settings = {
  SOCIAL_BASE_URL: `http://127.0.0.1:${providerPort}/api/v1`,
  SOCIAL_CLIENT_ID: 'my-app',
  SOCIAL_CLIENT_SECRET: 'my-secret',
  SESSION_SECRET: 'for tests',
  PORT: appPort,
}
writeFileSync(
  '.env',
  Object.entries(settings)
    .map((pair) => `${pair.join('=')}\n`)
    .join(''),
)

function testInChromium() {
  if (!existsSync(executablePath)) return console.log(`without a browser: there is none at ${executablePath}`)
  const args = ['node_modules/@playwright/test/cli.js', 'test', '--reporter', 'list']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.deepEqual([status, / 1 passed/.test(stdout)], [0, true], stdout + stderr)
}

/** As Cypress calls it, and as its browser then asks. */
async function testTaskOfCypress() {
  const app = spawn(process.execPath, ['--env-file=.env', 'app.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    await once(app.stdout, 'data')
    const tasks = {}
    const { useFakeProvider } = createRequire(import.meta.url)('./cypress/fake-provider.js')
    await useFakeProvider((_event, added) => Object.assign(tasks, added))
    const cookie = (await tasks.signIn()).map((pair) => pair.join('=')).join('; ')
    const profile = async (headers) => (await fetch(`http://localhost:${appPort}/profile`, { headers })).json()
    assert.equal(await profile({}), null)
    assert.deepEqual(await profile({ cookie }), { id: '1', name: 'Ada Lovelace' })
  } finally {
    app.kill()
  }
}

testInChromium()
await testTaskOfCypress()
console.log('ok')
process.exit()
