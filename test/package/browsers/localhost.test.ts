import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import express from 'express'
import { FakeProvider } from '../../../lib/testing'
import { describeVisits } from '../../support/browsers/each-browser'
import type { Tab } from '../../support/browsers/live-browser'
import { until } from '../../support/browsers/live-world'
import { startMinimalApp } from '../../support/example/minimal-app'
import { useExamples } from '../../support/example/use-examples'
import { fetchRoute } from '../../support/fetch-routes'
import { freePort } from '../../support/free-port'
import { listen } from '../../support/listen'
import { describeWithPostgres, useCluster } from '../../support/postgres/postgres'

const GUIDE = join(__dirname, '../../../../test/package/docs/express-postgres/app.mjs')

const shows = (tab: Tab, text: string): Promise<void> => until(async () => (await tab.text()).includes(text))

async function approve(tab: Tab): Promise<void> {
  await tab.click('button[name="user_id"][value="1"]')
  await tab.click('button[value="approve"]')
}

/** Where everybody begins: Safari keeps no `Secure` cookie there, and follows upgrade-insecure-requests to https. */
describeVisits('on plain http://localhost', (visitor) => {
  describe('the application of the README', () => {
    let provider: FakeProvider
    let app: Awaited<ReturnType<typeof startMinimalApp>>

    beforeAll(async () => {
      provider = await FakeProvider.start()
      app = await startMinimalApp(provider)
    })
    afterAll(async () => {
      await app.stop()
      await provider.stop()
    })

    test('signs a person in and out', async () => {
      const tab = await visitor().open()
      await tab.goto(app.origin)
      await tab.click('a[href="/auth/social-login"]')
      await approve(tab)
      await until(async () => (await tab.url()) === `${app.origin}/profile`)
      await shows(tab, 'Ada Lovelace')
      await tab.goto(app.origin)
      await tab.click('form[action="/logout"] button')
      await shows(tab, 'Sign in')
    })
  })

  describe('the example', () => {
    const examples = useExamples('all tests')

    test('signs a person in and out', async () => {
      const { appURL } = await examples.startForBrowsers()
      const tab = await visitor().open()
      await tab.goto(`${appURL}/login`)
      await tab.click('main .primary')
      await approve(tab)
      await shows(tab, 'Is this you?')
      await tab.click('form[action="/login/confirm"] .primary')
      await shows(tab, 'Your profile')
      expect(await tab.url()).toBe(`${appURL}/profile`)
      await tab.click('form[action="/logout"] button')
      await shows(tab, 'You are signed out.')
    })
  })

  describe('the application of docs/web.md', () => {
    test('signs a person in', async () => {
      const provider = await FakeProvider.start()
      const { server, origin, stop } = await listen()
      const redirectURL = `${origin}/auth/callback`
      const { appID, appSecret } = provider.registerApplication({ name: 'Web', redirectURL })
      const environment = jest.replaceProperty(process, 'env', {
        ...process.env,
        SOCIAL_BASE_URL: provider.baseURL,
        SOCIAL_CLIENT_ID: appID,
        SOCIAL_CLIENT_SECRET: appSecret,
        SOCIAL_CALLBACK_URL: redirectURL,
        LOGIN_COOKIE_KEY: 'a key of the test of more than thirty-two characters',
        SESSION_SECRET: 'a secret of the test',
      })
      jest.resetModules()
      const { default: app }: typeof import('../docs/web-app') = require('../docs/web-app')
      environment.restore()
      server.on('request', express().use(fetchRoute((request) => app.fetch(request))))
      try {
        const tab = await visitor().open()
        await tab.goto(origin)
        await tab.click('a')
        await approve(tab)
        await shows(tab, 'You are ["social-login","1"].')
      } finally {
        await stop()
        await provider.stop()
      }
    })
  })

  describeWithPostgres('the file of the guide "Express with Postgres"', () => {
    const postgres = useCluster()

    test('signs a person in and out, behind helmet’s defaults', async () => {
      const provider = await FakeProvider.start()
      const port = await freePort()
      const origin = `http://localhost:${port}`
      const redirectURL = `${origin}/auth/social-login/callback`
      const { appID, appSecret } = provider.registerApplication({ name: 'Guide', redirectURL })
      const child = spawn(process.execPath, [GUIDE], {
        env: {
          PATH: process.env['PATH'],
          PORT: String(port),
          DRAIN_SECONDS: '0',
          DATABASE_URL: await postgres().createDatabase(`app_${process.hrtime.bigint()}`),
          SESSION_SECRET: 'a secret of the test',
          LOGIN_COOKIE_KEY: 'a key of the test of more than thirty-two characters',
          CALLBACK_URL: redirectURL,
          SOCIAL_BASE_URL: provider.baseURL,
          SOCIAL_CLIENT_ID: appID,
          SOCIAL_CLIENT_SECRET: appSecret,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      try {
        await once(child.stdout, 'data')
        const tab = await visitor().open()
        await tab.goto(`${origin}/`)
        await tab.click('a')
        await approve(tab)
        await shows(tab, 'Hello Ada Lovelace')
        await tab.click('form[action="/logout"] button')
        await shows(tab, 'Sign in')
      } finally {
        child.kill()
        await once(child, 'exit')
        await provider.stop()
      }
    })
  })
})
