import { Browser, type BrowserAnswer, type BrowserRequest } from '../support/browser'
import { useLogins } from '../support/logins'
import { ROUTER_REQUESTS, type RouterAnswer, SCRIPT_HEADERS } from '../support/router-requests'

const logins = useLogins('all tests')

const FETCH = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const PATH = '/auth?returnTo=%2Finbox&x=%22'

/** As over plain http, where browsers send no Fetch Metadata. */
const bare = (app: { origin: string }, headers: object): BrowserRequest => ({
  headers: { referer: `${app.origin}/`, ...headers },
})

function expectAnswer(answer: BrowserAnswer, { status, headers, body }: RouterAnswer, path: string): void {
  const expected = Object.entries(headers).map(([name, value]) => [name, value.replace('PATH', path)])
  expect(answer).toMatchObject({ status, headers: Object.fromEntries(expected) })
  expect(answer.body.replace(path.replaceAll('&', '&amp;'), 'PATH')).toMatch(body)
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  expect(answer.headers).not.toHaveProperty('set-cookie')
}

describe.each(['session', 'web'] as const)('with the record in the %s', (keep) => {
  describe.each(ROUTER_REQUESTS)('$router', ({ headers, prefetch = {}, get, post }) => {
    test.each([
      ['with Fetch Metadata', FETCH],
      ['over plain http', {}],
    ])('is told by its own word to leave a start to the browser, which begins the login (%s)', async (_, metadata) => {
      const app = await logins.startApp({ keep })
      const browser = new Browser()
      const url = app.origin + PATH
      for (const marks of [{}, prefetch]) {
        const asked = bare(app, { ...metadata, ...headers, ...marks })
        expectAnswer(await browser.request(url, asked), get, PATH)
      }
      expectAnswer(
        await browser.request(url, { ...bare(app, { ...metadata, ...headers }), method: 'POST' }),
        post,
        PATH,
      )
      expect([app.sessions(), await browser.cookies(app.origin)]).toStrictEqual(['{}', ''])
      const start = await browser.request(url, bare(app, { accept: 'text/html' }))
      expect(start.status).toBe(302)
      expect(new URL(start.location).origin).toBe(logins.provider.origin)
      expect((await browser.comeBack(app.approvedCallback())).status).toBe(200)
    })

    test('is told nothing at the callback, which it cannot finish, and the person can', async () => {
      const app = await logins.startApp({ keep, callback: {} })
      const browser = new Browser()
      await browser.follow(app.loginURL)
      const callback = app.approvedCallback()
      const metadata = [FETCH, { ...FETCH, 'sec-fetch-site': 'cross-site' }, { accept: 'text/html' }]
      for (const more of metadata) {
        const answer = await browser.request(callback, { headers: { ...headers, ...more } })
        expect(answer.status).toBe(403)
        expect(Object.keys(answer.headers).filter((name) => /^(hx-|x-inertia|x-up|location)/.test(name))).toStrictEqual(
          [],
        )
        expect(answer.body).toContain('callback_forged')
      }
      expect((await browser.comeBack(callback)).status).toBe(200)
    })

    test('changes nothing of a navigation for which the browser vouches', async () => {
      const app = await logins.startApp({ keep })
      const browser = new Browser()
      expect((await browser.follow(app.loginURL, { headers })).status).toBe(headers['accept'] === '*/*' ? 503 : 302)
    })

    test('is refused by its method, as before', async () => {
      const app = await logins.startApp({ keep })
      const asked = { headers: { ...FETCH, ...headers }, method: 'PUT' } as const
      expect((await new Browser().request(app.loginURL, asked)).status).toBe(405)
    })
  })

  test.each(SCRIPT_HEADERS)('%s: %s begins no login without Fetch Metadata, and finishes none', async (name, value) => {
    const app = await logins.startApp({ keep })
    const browser = new Browser()
    const asked = bare(app, { accept: 'text/html', [name]: value })
    expect((await browser.request(app.loginURL, bare(app, { accept: 'text/html' }))).status).toBe(302)
    const sessions = app.sessions()
    const answer = await browser.request(app.loginURL, asked)
    expect([answer.status === 302, answer.location]).toStrictEqual([false, ''])
    expect(app.sessions()).toBe(sessions)
    const callback = app.approvedCallback()
    const early = await browser.request(callback, { headers: { accept: 'text/html', [name]: value } })
    expect([403, 503]).toContain(early.status)
    expect((await browser.request(callback, { headers: { accept: 'text/html' } })).status).toBe(200)
  })

  test('XMLHttpRequest is told in JSON to navigate, and a page in the WebView of an Android program navigates', async () => {
    const app = await logins.startApp({ keep })
    const by = (value: string): Promise<BrowserAnswer> =>
      new Browser().request(app.loginURL, bare(app, { accept: 'text/html', 'x-requested-with': value }))
    for (const value of ['XMLHttpRequest', 'xmlhttprequest']) {
      const { status, body } = await by(value)
      expect([status, JSON.parse(body).code]).toStrictEqual([403, 'navigation_required'])
    }
    expect((await by('com.example.app')).status).toBe(302)
  })
})
