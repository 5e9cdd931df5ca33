import type { RequestListener } from 'node:http'
import { diagnose } from '../support/doctor'
import { listen } from '../support/listen'

// What the doctor says of login pages, and of redirects on the way to the API.

const started: { stop(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const each of started.splice(0)) await each.stop()
})

/** A provider whose API refuses everything, and whose login page answers so. */
async function providerWith(loginPage: RequestListener): Promise<string> {
  const running = await listen((request, response) => {
    if (request.url?.includes('/oauth?')) return loginPage(request, response)
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":true}')
  })
  started.push(running)
  return `${running.origin}/api/v1`
}

const page =
  (status: number, headers: Record<string, string>, body = '<!doctype html><form></form>'): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)

const knows = (appID: string, status: number): RequestListener => {
  return (request, response) => page(request.url?.includes(appID) ? 200 : status, {})(request, response)
}

test.each<[string, RequestListener, string | RegExp]>([
  ['with a form', page(200, {}), 'good Login page: It is on the origin of the API.'],
  ['that refuses other ids', knows('my-app', 404), 'good Application: The provider knows the application id'],
  ['that looks the same for all', page(200, {}), 'differs Application: The login page looks the same'],
  ['that refuses the id', page(403, {}), 'broken Login page: It refuses the application id with status 403'],
  ['that fails', page(500, {}), 'broken Login page: It fails with status 500.'],
  ['behind a limit', page(429, {}), 'differs Login page: A firewall or a limit keeps this program out (status 429)'],
  ['behind a challenge', page(403, { server: 'cloudflare' }), 'differs Login page: A firewall or a limit keeps this'],
  [
    'that redirects in a circle',
    page(302, { location: '/api/oauth?app_id=1' }),
    'The login page redirects in a circle.',
  ],
  [
    'that redirects to no web address',
    page(302, { location: 'app://login' }),
    'redirects to something that is no web address',
  ],
  ['that redirects nowhere', page(302, {}), 'good Login page: It is on the origin of the API.'],
])('a login page %s', async (_name, loginPage, sentence) => {
  const { report } = await diagnose(await providerWith(loginPage), { appID: 'my-app' })
  expect(report).toContain(sentence)
})

test.each([
  [404, 'good Login page: It refuses an id that nobody has, with status 404: give --app-id for more.'],
  [503, 'differs Login page: A firewall or a limit keeps this program out (status 503)'],
  [500, 'broken Login page: It fails with status 500.'],
])('without an application id, a login page with status %d', async (status, sentence) => {
  const { report } = await diagnose(await providerWith(page(status, {})))
  expect(report).toContain(sentence)
})

test.each([429, 500])(
  'where an id that nobody has is answered with status %d, that is no word on the real one',
  async (status) => {
    const { report } = await diagnose(await providerWith(knows('my-app', status)), { appID: 'my-app' })
    expect(report).not.toContain('Application')
  },
)

test('an API that redirects in a circle', async () => {
  const running = await listen((request, response) => response.writeHead(302, { location: request.url }).end())
  started.push(running)
  const { isBroken, report } = await diagnose(`${running.origin}/api/v1`)
  expect([isBroken, report]).toEqual([true, 'broken Address: The provider redirects in a circle.'])
})

test('an API that redirects without an address', async () => {
  const running = await listen((_request, response) => response.writeHead(302).end())
  started.push(running)
  const { report } = await diagnose(`${running.origin}/api/v1`)
  expect(report).toContain('redirects to something that is no web address')
})
