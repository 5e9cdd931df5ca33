// Plays a person's browser against the application of a consumer. Copied beside each consumer's main file.
const assert = require('node:assert/strict')
const { execFile } = require('node:child_process')
const { subscribe, tracingChannel } = require('node:diagnostics_channel')
const { once } = require('node:events')
const { readFileSync } = require('node:fs')
const http = require('node:http')
const { join } = require('node:path')
const { promisify } = require('node:util')
const { FakeProvider, providerNavigation, sameOriginNavigation } = require('passport-social-login/testing')

/**
 * @param createServer takes `{ baseURL, clientID, clientSecret }`, and the `origin` and `port` at which to listen if the
 *   application must know them; answers a `node:http` server, or `{ port, close, isElsewhere }` (in
 *   another process, whose diagnostics are not seen here), with the routes `/auth`, `/callback` (leads
 *   to `/me`; its failures to `/login`) and `/me`, which answers the user's name, or 401. A consumer that depends on
 *   playwright-core also has a home page with a link to `/auth`, for a login in Chromium
 * @param inbox a further start, with `returnTo: '/inbox'`, if there is one
 * @param inChromium `prefetches`: the framework prefetches the link to `/auth`, which must not begin a login; `hasWalls`:
 *   there are `/wall` and `/naive-wall`; `noted`: what the console may note of each click
 */
exports.play = async function play(createServer, inbox, inChromium = {}) {
  const provider = await FakeProvider.start()
  const place = await freePlace()
  const redirectURL = `${place.origin}/callback`
  const { appID, appSecret } = provider.registerApplication({ name: 'C', redirectURL })
  const registered = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }
  const { port, close, isElsewhere = false } = await serving(await createServer(registered, place), place)
  const get = browser(port)
  const stranger = browser(port)
  const newKey = () => provider.issueAuthKey({ appID, userID: '1' })
  const traced = watchPhases()
  const connections = new Set()
  subscribe('undici:client:sendHeaders', ({ socket }) => connections.add(socket))

  const typed = await get('/auth', {})
  assert.equal(typed.status, 200, typed.body)
  assert.ok(typed.body.includes('Continue to 127.0.0.1'), typed.body)
  const byScript = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
  const routed = await get('/auth', { ...byScript, 'hx-request': 'true' })
  assert.deepEqual([routed.status, routed.headers['hx-redirect']], [200, '/auth'], routed.body)
  const start = await get('/auth', sameOriginNavigation)
  assert.equal(start.status, 302, start.body)
  assert.equal(new URL(start.headers.location).origin, provider.origin)
  const callback = `/callback?auth_key=${newKey()}`
  await expectRedirect(stranger(callback, providerNavigation), '/login')
  await expectRedirect(get(callback, providerNavigation), '/me')
  for (let visit = 0; visit < 2; visit++) {
    const me = await get('/me', sameOriginNavigation)
    assert.deepEqual([me.status, me.body], [200, 'Ada Lovelace'], 'the session is kept')
  }
  assert.equal((await stranger('/me', sameOriginNavigation)).status, 401)
  await expectRedirect(get(callback, providerNavigation), '/login') // a reload
  const signIn = ['exchange', 'profile', 'verify', 'callback']
  const phases = [
    'start',
    'start router',
    'start',
    'callback login_not_started',
    ...signIn,
    'callback login_not_started',
  ]
  assert.deepEqual(traced.splice(0), isElsewhere ? [] : phases)

  const connectionsBefore = connections.size
  const other = browser(port)
  await other('/auth', sameOriginNavigation)
  await expectRedirect(other(`/callback?auth_key=${'0'.repeat(32)}`, providerNavigation), '/login')
  await other('/auth', sameOriginNavigation)
  await expectRedirect(other(`/callback?auth_key=${newKey()}`, providerNavigation), '/me')
  assert.equal((await other('/me', sameOriginNavigation)).body, 'Ada Lovelace')
  assert.equal(connections.size, connectionsBefore, 'the connection to the provider is kept')

  if (inbox !== undefined) {
    const another = browser(port)
    assert.equal((await another(inbox, sameOriginNavigation)).status, 302)
    await expectRedirect(another(`/callback?auth_key=${newKey()}`, providerNavigation), '/inbox')
    assert.equal((await another('/me', sameOriginNavigation)).body, 'Ada Lovelace')
  }

  provider.failNext('authorize', { status: 503 })
  await stranger('/auth', sameOriginNavigation)
  const outage = await stranger(`/callback?auth_key=${newKey()}`, providerNavigation)
  assert.equal(outage.status, 502, 'an outage is answered with its status')
  await assertFoundRight(`http://localhost:${port}`)
  await assertOneClass()
  if (dependsOn('playwright-core')) await playInChromium(place.origin, isElsewhere ? undefined : traced, inChromium)
  await close()
  await provider.stop()
  console.log('ok')
}

/** Nothing is found by the doctor, who examines it from outside. In a process of Node, with the package of this repository. */
async function assertFoundRight(origin) {
  // Node's permission model lets an application start no process, and neither do the permissions given to Deno.
  if (process.permission?.has('child') === false || process.versions.deno !== undefined) return
  const cli = join(process.env.PACKAGE_ROOT, 'dist', 'lib', 'cli.js')
  const args = [cli, 'doctor', '--app', `${origin}/auth`, '--redirect-url', `${origin}/callback`, '--json']
  // It exits with 1 where something is broken.
  const { stdout } = await promisify(execFile)('node', args).catch((error) => error)
  const { findings } = JSON.parse(stdout)
  assert.deepEqual(
    findings.filter(({ level }) => level !== 'good'),
    [],
  )
  assert.ok(findings.some(({ code }) => code === 'whole_way'))
}

/** A port that is free at this moment. */
async function freePlace() {
  const server = http.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return { port, origin: `http://localhost:${port}` }
}

/** The port of a server, and how to stop it. */
async function serving(server, place) {
  if (server.close && server.port) return server
  if (!server.listening) await once(server.listen(place.port, '127.0.0.1'), 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: server.address().port, close }
}

/** In a process of its own, because playwright-core does not run in every runtime. */
async function playInChromium(origin, traced, inChromium) {
  if (traced) traced.length = 0
  const { stdout } = await promisify(execFile)('node', ['chromium.cjs', origin, JSON.stringify(inChromium)])
  // Only the two clicks have begun a login, and the wall that leads to the start by itself.
  const starts = traced?.filter((phase) => phase === 'start')
  if (starts && stdout.includes('signed in')) assert.equal(starts.length, inChromium.hasWalls ? 3 : 2, traced.join())
  console.log(stdout.trim())
}

// By the manifest: Bun resolves what is not installed, too.
function dependsOn(name) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  return Object.hasOwn({ ...dependencies, ...devDependencies }, name)
}

/** Collects the phases that ended, each with its code if it failed, or with the router that has got an answer. */
function watchPhases() {
  const ended = []
  for (const phase of ['start', 'callback', 'exchange', 'profile', 'verify']) {
    tracingChannel(`passport-social-login:${phase}`).asyncEnd.subscribe(({ code, page }) => {
      const what = page === 'router' ? page : code
      ended.push(what ? `${phase} ${what}` : phase)
    })
  }
  return ended
}

async function expectRedirect(pending, location) {
  const { status, headers, body } = await pending
  // `SocialLogin` answers with whole addresses, Passport with paths.
  const path = headers.location?.replace(/^http:\/\/localhost:\d+(?=\/)/, '')
  assert.deepEqual([status, path], [302, location], body)
  assert.deepEqual([headers['cache-control'], headers['referrer-policy']], ['no-store', 'no-referrer'], location)
}

/** However it is loaded, there is one copy of each class. */
async function assertOneClass() {
  const required = require('passport-social-login')
  const imported = await import('passport-social-login')
  assert.equal(required.Strategy, imported.Strategy)
  assert.equal(required.SocialLoginError, imported.SocialLoginError)
}

exports.browser = browser

/** A browser with cookies that follows no redirect by itself. Not fetch: it overwrites Sec-Fetch-Mode. */
function browser(port) {
  const cookies = new Map()
  return (path, headers) =>
    new Promise((resolve, reject) => {
      const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
      const options = { host: '127.0.0.1', port, path, headers: { ...headers, ...(cookie && { cookie }) } }
      const onAnswer = async (answer) => {
        for (const line of answer.headers['set-cookie'] ?? []) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)
          if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(name)
          else cookies.set(name, value)
        }
        const chunks = await answer.setEncoding('utf8').toArray()
        resolve({ status: answer.statusCode, headers: answer.headers, body: chunks.join('') })
      }
      http.get(options, onAnswer).on('error', reject)
    })
}
