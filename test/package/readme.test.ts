import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import { OUTCOMES } from '../../lib'
import { Browser } from '../support/browser'
import { freePort } from '../support/free-port'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'
import { client, errorHandling } from './readme/recipes'

const root = join(__dirname, '../../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

const logins = useLogins()

/** The regions of a folder's sources that the README quotes, without their indentation. */
function regions(...names: string[]): string[] {
  const folder = join(root, 'test/package', ...names)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|[cm]js)$/.test(name))
  const sources = files.map((name) => readFileSync(join(folder, name), 'utf8'))
  return sources.flatMap((source) =>
    Array.from(source.matchAll(/^( *)\/\/ README: .*\n([\s\S]*?)^ *\/\/ end$/gm), ([, indentation = '', body = '']) =>
      body.replaceAll(new RegExp(`^${indentation}`, 'gm'), '').trimEnd(),
    ),
  )
}

describe('the README', () => {
  test('quotes only code that is compiled and run here', () => {
    const blocks = Array.from(readme.matchAll(/^```ts\n([\s\S]*?)\n```$/gm), ([, body = '']) => body)
    expect(blocks.length).toBeGreaterThan(10)
    const known = regions('readme')
    for (const block of blocks) expect(known).toContain(block)
  })

  test('quotes JavaScript that the consumers run', () => {
    const blocks = Array.from(readme.matchAll(/^```js\n([\s\S]*?)\n```$/gm), ([, body = '']) => body)
    expect(blocks.length).toBeGreaterThan(3)
    const known = regions('consumers')
    for (const block of blocks) expect(known).toContain(block)
  })

  test('justifies every runtime dependency, and no other', () => {
    const [, table = ''] = /^## Dependencies\n([\s\S]*?)^## /m.exec(readme) ?? []
    const rows = Array.from(table.matchAll(/^\| `([^`]+)` \|/gm), ([, name = '']) => name)
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(rows.sort()).toEqual(Object.keys(dependencies).sort())
  })

  test('shows every goal of the bench as it was measured last, the missed ones too', () => {
    const goals: { goal: string; text: string; measured: string; reached: boolean }[] = JSON.parse(
      readFileSync(join(root, 'bench', 'results', 'goals.json'), 'utf8'),
    )
    expect(goals.length).toBeGreaterThan(10)
    for (const { goal, text, measured, reached } of goals) {
      expect(readme).toContain(`| ${goal} | ${text} | ${measured} | ${reached ? 'reached' : '**missed**'} |`)
    }
  })

  test('lists every outcome with its status and message', () => {
    for (const [code, { kind, status, message }] of Object.entries(OUTCOMES)) {
      const row = `| \`${code}\` | ${kind === 'fail' ? 'failure' : 'error'} | ${status} | ${message} |`
      expect(readme).toContain(row)
    }
  })

  test.each(['SocialLoginClientOptions', 'StrategyOptions', 'CookieStoreOptions'])(
    'lists every option of %s',
    (name) => {
      const files = ['client/options.ts', 'passport/options.ts', 'login/stores/sealed-cookie.ts'].map((file) =>
        readFileSync(join(root, 'lib', file), 'utf8'),
      )
      const [, body = ''] = new RegExp(`interface ${name}[^{]*{([\\s\\S]*?)^}`, 'm').exec(files.join('\n')) ?? []
      const options = Array.from(body.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, option = '']) => option)
      expect(options.length).toBeGreaterThan(2)
      for (const option of options) expect(readme).toContain(`\`${option}\``)
    },
  )

  test('links only to files and headings that exist', () => {
    const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)]+)\)/g), ([, link = '']) => link)
    const headings = Array.from(
      readme.matchAll(/^#+ (.*)$/gm),
      ([, heading = '']) =>
        `#${heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-')}`,
    )
    for (const link of links) {
      if (link.startsWith('#')) expect(headings).toContain(link)
      else expect(readFileSync(join(root, link), 'utf8')).not.toBe('')
    }
  })
})

test('the quick start is a working login', async () => {
  const { provider } = logins
  const appPort = await freePort()
  const origin = `http://localhost:${appPort}`
  const callback = `${origin}/auth/social-login/callback`
  const { appID, appSecret } = provider.registerApplication({ name: 'Quick start', redirectURL: callback })
  const app = spawn(process.execPath, [join(root, 'dist/test/package/readme', 'quick-start.js')], {
    env: {
      ...process.env,
      PORT: String(appPort),
      SOCIAL_BASE_URL: provider.baseURL,
      SOCIAL_CLIENT_ID: appID,
      SOCIAL_CLIENT_SECRET: appSecret,
      SESSION_SECRET: 'a secret of the test',
    },
    stdio: 'inherit',
  })
  const browser = new Browser()
  try {
    await untilListening(origin, app)
    expect((await browser.follow(`${origin}/auth/social-login`)).status).toBe(302)
    const authKey = provider.issueAuthKey({ appID, userID: '1' })
    expect((await browser.comeBack(`${callback}?auth_key=${authKey}`)).location).toBe('/profile')
    const profile = await browser.follow(`${origin}/profile`)
    expect(JSON.parse(profile.body)).toEqual({ id: 'social-login:1', name: 'Ada Lovelace' })
    expect((await browser.follow(`${origin}/logout`, { method: 'POST' })).location).toBe('/login')
    expect((await browser.follow(`${origin}/profile`)).body).toContain('Nobody')
  } finally {
    app.kill()
    await once(app, 'exit')
  }
})

test('the example of a test with node:test passes', () => {
  const output = execFileSync(
    process.execPath,
    ['--test', join(root, 'dist/test/package/readme', 'your-app.node-test.js')],
    {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  )
  expect(output).toMatch(/pass 1/)
})

test('the example of the client reads a profile', async () => {
  const { provider } = logins
  const { appID, appSecret } = provider.registerApplication({ name: 'Client', redirectURL: 'http://localhost/cb' })
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  expect(await client(provider.baseURL, appID, appSecret, authKey)).toMatchObject({ user_id: '1', user_name: 'ada' })
})

test('the example of an error handler answers errors of this package and passes others on', async () => {
  const app = express()
  app.get('/other', () => {
    throw Object.assign(new Error('mine'), { status: 418 })
  })
  errorHandling(app)
  await using listening = await listen(app)
  const answer = await new Browser().request(`${listening.origin}/other`)
  expect(answer.status).toBe(418)
})

async function untilListening(origin: string, app: ChildProcess): Promise<void> {
  while (app.exitCode === null) {
    const answer = await new Browser().request(`${origin}/login`).catch(() => undefined)
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the quick start did not start')
}
