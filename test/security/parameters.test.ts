import { inspect } from 'node:util'
import { type Kind, ours, SOCIAL, type TargetOptions } from '../support/attacks/target-app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { captureOutput, findSecrets } from '../support/canaries'
import { useLogins } from '../support/logins'
import { type HTTPTarget, startTarget } from './http-target'

const CANARY = 'error-text-canary-7f20b6'

const logins = useLogins()
let target: HTTPTarget

async function run(kind: Kind, options: Partial<TargetOptions> = {}): Promise<Browser> {
  const { provider } = logins
  target = logins.stopLater(await startTarget({ kind, logins: [{ name: SOCIAL, provider }], ...options }))
  const browser = new Browser()
  await browser.follow(target.startURL())
  return browser
}

describe('error text written by the attacker', () => {
  const text = encodeURIComponent(`${CANARY} Call +1 555 0100 to unlock your account`)
  const queries = [
    `error=access_denied&error_description=${text}`,
    `error=server_error&error_description=${text}&error_uri=https://evil.example/${CANARY}`,
    `message=${text}&error=true`,
    `auth_key=x&error=access_denied&error_description=${text}`,
    `error_code=${text}&error_message=${text}&auth_key=`,
    `auth_key=${text}`,
    `auth_key=${CANARY}&auth_key=${CANARY}`,
    `auth_key=${CANARY}%0d%0aSet-Cookie:%20a=${CANARY}`,
  ]

  interface Shown {
    readonly answer: BrowserAnswer
    readonly output: string
  }

  async function show(browser: Browser, query: string): Promise<Shown> {
    const visit = () => browser.comeBack(`${target.callbackURL()}?${query}`)
    const { result, output } = await captureOutput(visit)
    return { answer: result, output }
  }

  const shownIn = ({ answer, output }: Shown): string[] => {
    const sinks = { answer: { ...answer }, output, errors: target.errors, sessions: inspect(target.store, false, null) }
    return findSecrets([CANARY], sinks)
  }

  test('is shown by a naive strategy', async () => {
    const browser = await run('naive')
    for (const query of queries.slice(0, 2)) expect(shownIn(await show(browser, query))).not.toStrictEqual([])
  })

  test.each(ours.flatMap((kind) => queries.map((query) => ({ kind, query }))))(
    'never appears with ours ($kind): $query',
    async ({ kind, query }) => {
      const browser = await run(kind)
      const shown = await show(browser, query)
      expect(shownIn(shown)).toStrictEqual([])
      expect(shown.answer.status).toBeGreaterThanOrEqual(400)
      expect(await target.userOf(browser)).toBeNull()
    },
  )
})

describe.each([
  { kind: 'session', parser: 'simple' },
  { kind: 'session', parser: 'extended' },
  { kind: 'web', parser: 'simple' },
] as const)('parameters in odd shapes, with Express’s $parser query parser ($kind)', ({ kind, parser }) => {
  const before: TargetOptions['before'] = (app) => app.set('query parser', parser)
  const good = () => target.approved('1').split('auth_key=')[1] ?? ''
  const malformed = [
    (key: string) => `auth_key[]=${key}`,
    (key: string) => `auth_key[__proto__]=${key}`,
    (key: string) => `auth_key=${key}&auth_key=${key}`,
    (key: string) => `auth_key=&auth_key=${key}`,
    (key: string) => `auth_key=${key}&auth_key[]=x`,
    (key: string) => `auth_key=${key}%00`,
    (key: string) => `auth_key=%E2%80%AE${key}`,
    (key: string) => `auth_key=${key}${'x'.repeat(512)}`,
    (key: string) => `a=1?auth_key=${key}`,
  ]
  const missing = [
    (key: string) => `AUTH_KEY=${key}`,
    (key: string) => `auth_key%00=${key}`,
    (key: string) => `__proto__[auth_key]=${key}`,
    (key: string) => `;auth_key=${key}`,
    () => 'auth_key=',
    () => '',
  ]
  const rows = [
    ...malformed.map((query) => ({ query, verdict: 'auth_key_malformed' })),
    ...missing.map((query) => ({ query, verdict: 'auth_key_missing' })),
  ].map((row) => ({ ...row, shown: row.query('KEY') }))

  test.each(rows)('?$shown is $verdict, sends no request, and keeps the login', async ({ query, verdict }) => {
    const browser = await run(kind, { before })
    await browser.comeBack(`${target.callbackURL()}?${query(good())}`)
    expect([target.lastVerdict(), logins.exchanges(), await target.userOf(browser)]).toStrictEqual([verdict, 0, null])
    await browser.comeBack(target.approved('1'))
    expect(target.lastVerdict()).toBe('accepted')
  })

  test('other parameters have no effect', async () => {
    const browser = await run(kind, { before })
    const noise =
      'state=1&code=2&app_id=x&error=&social_login_tab=0123456789abcdef0123456789abcdef&returnTo=//evil.example'
    await browser.comeBack(`${target.approved('1')}&${noise}`)
    expect(target.lastVerdict()).toBe('accepted')
    expect(logins.provider.requests.find(({ endpoint }) => endpoint === 'authorize')?.form).not.toHaveProperty('state')
  })
})

test('the extended parser makes a naive strategy send an array as the key', async () => {
  const browser = await run('naive', { before: (app) => app.set('query parser', 'extended') })
  await browser.comeBack(`${target.callbackURL()}?auth_key[]=a&auth_key[]=b`)
  expect(logins.provider.requests.at(-1)?.form['auth_key']).toBe('a,b')
})
