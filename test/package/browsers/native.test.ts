import express from 'express'
import { MemoryStore } from 'express-session'
import passport from 'passport'
import { Strategy } from '../../../lib'
import { FakeProvider } from '../../../lib/testing'
import { keepSessions, newPassport } from '../../support/app'
import { describeVisits } from '../../support/browsers/each-browser'
import type { Tab } from '../../support/browsers/live-browser'
import { until } from '../../support/browsers/live-world'
import { type Listening, listen } from '../../support/listen'
import { nativeApp, nativeServer } from '../docs/native'

/** docs/guides/native.md: a real browser, and the app's own loopback server. */
describeVisits('a native application', (visitor) => {
  let provider: FakeProvider
  let server: Listening

  beforeAll(async () => {
    provider = await FakeProvider.start()
    const app = express()
    server = await listen(app)
    const callbackURL = `${server.origin}/native/callback`
    const { appID, appSecret } = provider.registerApplication({ name: 'Native', redirectURL: callbackURL })
    const { baseURL } = provider
    const settings = { name: 'native', baseURL, clientID: appID, clientSecret: appSecret, callbackURL }
    newPassport([new Strategy(settings, (_access, _refresh, { displayName }) => ({ displayName }))], passport)
    app.use(keepSessions(new MemoryStore()), passport.session())
    nativeServer(app, (user) => `token of ${Reflect.get(user, 'displayName')}`)
  })
  afterAll(async () => {
    await server.stop()
    await provider.stop()
  })

  test('signs in by the system browser and the confirm page, and gets a token of its server', async () => {
    const tab: Tab = await visitor().open()
    const opened: Promise<void>[] = []
    const token = nativeApp(server.origin, (url) => void opened.push(tab.goto(url)))
    await until(() => opened.length > 0)
    await Promise.all(opened)
    await tab.click('main a')
    await tab.click('button[name="user_id"][value="1"]')
    await tab.click('button[value="approve"]')
    expect(await token).toEqual({ token: 'token of Ada Lovelace' })
    await until(async () => (await tab.text()).includes('You can close this window'))
  })
})
