import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { providerNavigation } from '../../lib/testing'
import { Browser, type BrowserAnswer, closeBrowsers } from '../support/browser'

const PROGRAM = join(__dirname, 'connect-program.js')

let child: ChildProcess
let output = ''

afterEach(() => child.kill())
afterAll(closeBrowsers)

/** Starts the application as a process. @returns its origin, and a key for its callback */
async function start(
  kind: 'naive' | 'ours' | 'ours-with-redirect' | 'ours-over-http2',
): Promise<{ origin: string; authKey: string }> {
  child = spawn(process.execPath, [PROGRAM, kind], { stdio: ['ignore', 'pipe', 'pipe'] })
  output = ''
  child.stderr?.on('data', (chunk) => {
    output += String(chunk)
  })
  if (child.stdout === null) throw new Error('it has no stdout')
  const [line] = await once(createInterface(child.stdout), 'line')
  const { address, authKey } = JSON.parse(String(line))
  return { origin: `http://127.0.0.1:${address.port}`, authKey }
}

test('a login with successRedirect crashes a Connect application with a naive strategy', async () => {
  const { origin, authKey } = await start('naive')
  const ended = once(child, 'exit')
  new Browser().comeBack(`${origin}/callback?auth_key=${authKey}`).catch(() => {})
  expect(await ended).toStrictEqual([1, null])
  expect(output).toContain('res.redirect is not a function')
})

test('ours refuses before the login starts, and names what Connect lacks', async () => {
  const { origin, authKey } = await start('ours')
  const answer = await new Browser().comeBack(`${origin}/callback?auth_key=${authKey}`)
  expect(answer.status).toBe(500)
  expect(answer.body).toContain('need req.res and res.redirect, which Connect lacks')
  expect(child.exitCode).toBeNull()
})

test('ours refuses it over HTTP/2, too, whose requests and responses are of other classes', async () => {
  const { origin, authKey } = await start('ours-over-http2')
  const session = connect(origin)
  const request = session.request({ ':path': `/callback?auth_key=${authKey}`, ...providerNavigation })
  const [headers] = await once(request, 'response')
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  session.close()
  expect([headers[':status'], body]).toStrictEqual([500, expect.stringContaining('which Connect lacks')])
  expect(child.exitCode).toBeNull()
})

test('with req.res and res.redirect, redirects work, answers are private, and there is a confirm page', async () => {
  const { origin, authKey } = await start('ours-with-redirect')
  const browser = new Browser()
  const shown = ({ status, location, headers }: BrowserAnswer): unknown[] => [
    status,
    location,
    headers['cache-control'],
    headers['referrer-policy'],
  ]
  const callback = `${origin}/callback?auth_key=${authKey}`
  expect(shown(await browser.comeBack(callback))).toStrictEqual([302, '/login', 'no-store', 'no-referrer'])
  expect((await browser.request(`${origin}/auth`)).body).toContain('Continue to 127.0.0.1')
  expect((await browser.follow(`${origin}/auth`)).headers['cache-control']).toBe('no-store')
  expect(shown(await browser.comeBack(callback))).toStrictEqual([302, '/me', 'no-store', 'no-referrer'])
})
