import type { Keep } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins()

const linkOf = (body: string, page: string): string => {
  const [, link = ''] = /<a href="([^"]+)"/.exec(body) ?? []
  return new URL(link.replaceAll('&amp;', '&'), page).href
}

// A CDN hands on cookies and the query, and no header that shows where a request comes from.
describe.each(['session', 'cookie', 'web'] as const satisfies readonly Keep[])('with the record in the %s', (keep) => {
  const visit = (url: string, headers: Record<string, string> = {}) =>
    new Browser().request(url, { headers: { accept: 'text/html', ...headers } })

  test('the confirm page is shown once: its button ends in a failure that names the missing headers', async () => {
    const app = await logins.startApp({ keep })
    const page = await visit(`${app.loginURL}?returnTo=/inbox`)
    expect([page.status, page.body.includes('Continue to')]).toStrictEqual([200, true])
    const link = linkOf(page.body, app.loginURL)
    expect(new URL(link).searchParams.get('returnTo')).toBe('/inbox')
    const answer = await visit(link)
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('None of the headers Sec-Fetch-Site, Origin and Referer arrived')
  })

  test('where a proxy rewrites Host and Sec-Fetch-Site is missing, it names the address', async () => {
    const app = await logins.startApp({ keep })
    const { body } = await visit(app.loginURL)
    const answer = await visit(linkOf(body, app.loginURL), { referer: 'https://app.example/auth' })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('give the whole callbackURL')
  })

  test('the mark proves nothing: a foreign link with it gets the page, from a browser that says so', async () => {
    const app = await logins.startApp({ keep })
    for (const site of ['cross-site', 'none']) {
      const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
      const answer = await visit(`${app.loginURL}?social_login_confirmed=1`, headers)
      expect([answer.status, answer.body.match(/social_login_confirmed/g)?.length]).toStrictEqual([200, 1])
    }
    const clicked = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    expect((await visit(`${app.loginURL}?social_login_confirmed=1`, clicked)).status).toBe(302)
  })
})
