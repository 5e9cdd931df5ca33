import { inspect } from 'node:util'
import { type PendingLogin, SessionStore } from '../../lib'
import type { Keep } from '../support/app'
import { Browser } from '../support/browser'
import { useLogins } from '../support/logins'

const logins = useLogins()

const linkOf = (page: string): string => /<a href="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? 'none'

describe.each(['session', 'cookie', 'web'] as const satisfies readonly Keep[])('with the record in the %s', (keep) => {
  test('a failed login redirects to where this browser started it, and from there to the provider', async () => {
    const app = await logins.startApp({ keep, callback: {} })
    const browser = new Browser()
    const start = `${app.loginURL}?returnTo=/inbox&x=%22%3Cb%3E`
    await browser.follow(start)
    const failed = await browser.comeBack(`${app.callbackURL}?auth_key=invented`)
    expect(failed.status).toBe(401)
    const next = new URL(linkOf(failed.body), app.callbackURL)
    expect(next.href).toBe(start)
    expect((await browser.follow(next.href)).location).toContain(logins.provider.origin)
  })

  test('if no login was started, it redirects to the first page', async () => {
    const app = await logins.startApp({ keep, callback: {}, callbackPath: '/auth/x/callback' })
    const answerTo = async (accept: string): Promise<string> =>
      (await new Browser().comeBack(app.approvedCallback(), { headers: { accept } })).body
    expect(linkOf(await answerTo('text/html'))).toBe('../../')
  })
})

test.each(['//evil.example/', 'https://evil.example/', '/.//evil.example', 'javascript:alert(1)'])(
  'where a store has been written by someone else, %s is no way on',
  async (startPath) => {
    class WrittenByOthers extends SessionStore {
      override load(...args: Parameters<SessionStore['load']>): PendingLogin | undefined {
        const record = super.load(...args)
        return record && { ...record, startPath }
      }
    }
    const app = await logins.startApp({ strategy: { store: new WrittenByOthers() }, callback: {} })
    const browser = new Browser()
    await browser.follow(app.loginURL)
    const failed = await browser.comeBack(`${app.callbackURL}?auth_key=invented`)
    expect(failed.status).toBe(401)
    expect(new URL(linkOf(failed.body), app.callbackURL).href).toBe(new URL('/', app.callbackURL).href)
    await browser.follow(app.loginURL)
    logins.provider.failNext('authorize', { status: 500 })
    await browser.comeBack(app.approvedCallback())
    expect(app.errors).toStrictEqual([expect.objectContaining({ code: 'provider_unavailable' })])
    expect(Reflect.get(Object(app.errors[0]), 'startPath')).toBeUndefined()
  },
)

test('what the address of the start holds is in no log of the error', async () => {
  const app = await logins.startApp({ callback: {} })
  const browser = new Browser()
  await browser.follow(`${app.loginURL}?invitation=canary-invitation`)
  logins.provider.failNext('authorize', { status: 500 })
  await browser.comeBack(app.approvedCallback())
  expect(Reflect.get(Object(app.errors[0]), 'startPath')).toBe('/auth?invitation=canary-invitation')
  expect(inspect(app.errors[0], { depth: 9 }) + JSON.stringify(app.errors[0])).not.toContain('canary')
})

test('another browser’s start is no one else’s way on', async () => {
  const app = await logins.startApp({ callback: {} })
  await new Browser().follow(`${app.loginURL}?x=of-somebody-else`)
  const { body } = await new Browser().comeBack(`${app.callbackURL}?auth_key=invented`)
  expect(body).not.toContain('of-somebody-else')
})
