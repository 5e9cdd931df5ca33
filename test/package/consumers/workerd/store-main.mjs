// Two Workers that share the Durable Objects of the guide, as two machines do, or share nothing but their keys.
import assert from 'node:assert/strict'
import http from 'node:http'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { FakeProvider, providerNavigation, sameOriginNavigation } from 'passport-social-login/testing'
import { browser } from './driver.cjs'
import { bundle, serveWorkers } from './worker.mjs'

const ORIGIN = 'http://localhost:3000'
const provider = await FakeProvider.start()
const { appID, appSecret } = provider.registerApplication({ name: 'C', redirectURL: `${ORIGIN}/callback` })
const PROVIDER = { baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret }
const newKey = () => provider.issueAuthKey({ appID, userID: '1' })
const exchanges = () => provider.requests.filter(({ endpoint }) => endpoint === 'authorize').length

async function start(entry, durableObjects) {
  // A slot that is never released would fail the next login.
  const common = {
    script: await bundle(entry),
    bindings: { PROVIDER: { ...PROVIDER, maxConcurrentLogins: 1 }, ORIGIN },
  }
  return serveWorkers([
    { ...common, name: 'one', durableObjects: durableObjects && { LOGINS: durableObjects } },
    { ...common, name: 'two', durableObjects: durableObjects && { LOGINS: { ...durableObjects, scriptName: 'one' } } },
  ])
}

/** Begins a login at one machine. @returns what sends a callback of that browser, with a new key, to a machine */
async function begin(port) {
  const { status, headers } = await browser(port)('/auth', sameOriginNavigation)
  assert.equal(status, 302)
  const cookie = headers['set-cookie'].map((line) => line.split(';', 1)[0]).join('; ')
  const comeBack = async (machine, key = newKey(), cookies = cookie) => {
    const answer = await browser(machine)(`/callback?auth_key=${key}`, { ...providerNavigation, cookie: cookies })
    return answer.headers.location?.replace(/^http:\/\/localhost:\d+(?=\/)/, '')
  }
  /** Disconnects as soon as the key is being exchanged. */
  const leave = async (machine, key) => {
    const before = exchanges()
    const options = { host: '127.0.0.1', port: machine, headers: { ...providerNavigation, cookie } }
    const request = http.get({ ...options, path: `/callback?auth_key=${key}` }).on('error', () => {})
    while (exchanges() === before) await setImmediate()
    request.socket.resetAndDestroy()
  }
  return Object.assign(comeBack, { leave, cookie })
}

const ofKeys = await start('hono-worker.mjs')
const copied = await begin(ofKeys.ports[0])
assert.deepEqual(await Promise.all(ofKeys.ports.map((port) => copied(port))), ['/me', '/me'])
const doubleClick = await begin(ofKeys.ports[0])
const key = newKey()
const earlier = exchanges()
const clicks = [doubleClick(ofKeys.ports[0], key), doubleClick(ofKeys.ports[0], key)]
assert.deepEqual([await Promise.all(clicks), exchanges()], [['/me', '/me'], earlier + 1])
provider.failNext('authorize', { delay: 1000 })
const cutOff = await begin(ofKeys.ports[0])
const cutOffKey = newKey()
await cutOff.leave(ofKeys.ports[0], cutOffKey)
const secondClick = cutOff(ofKeys.ports[0], cutOffKey)
const answer = await Promise.race([secondClick, setTimeout(20_000, 'nothing', { ref: false })])
assert.equal(answer, '/me', 'the second click of a visitor who has disconnected')
assert.equal(await (await begin(ofKeys.ports[0]))(ofKeys.ports[0]), '/me', 'the slot of that login is free')
await ofKeys.close()

const shared = await start('store-worker.mjs', { className: 'LoginInProgress', useSQLite: true })
const [one, two] = shared.ports
for (let round = 0; round < 10; round++) {
  const before = exchanges()
  const comeBack = await begin(one)
  assert.deepEqual((await Promise.all([comeBack(one), comeBack(two)])).sort(), ['/login', '/me'])
  assert.equal(await comeBack(two), '/login')
  assert.equal(exchanges(), before + 1)
}

const [first, second] = [await begin(one), await begin(two)]
assert.equal(await second(two), '/me', 'a login of another tab')
assert.equal(await first(one), '/me', 'each login has its own object')
assert.equal(await (await begin(one))(two, 'a-guess'), '/login')
const [attacker, victim] = [await begin(one), await begin(one)]
const planted = `${attacker.cookie}; ${victim.cookie}`
assert.equal(await victim(one, newKey(), planted), '/login', 'of two cookies one was planted')
await shared.close()
await provider.stop()
console.log('ok')
