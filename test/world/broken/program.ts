import { inspect } from 'node:util'
import { FakeProvider } from 'passport-social-login/testing'
import { findSecrets } from '../../support/canaries'
import { freePort } from '../../support/free-port'
import type { Adapter } from './application'
import { expressRows } from './express-rows'
import type { Row } from './row'
import { rows, webRows } from './rows'
import { CANARIES, Person, readable } from './visit'

/** What was read of one row. */
export interface Reading {
  readonly terminal: string
  readonly person: string
  readonly tester: string
  /** Where a secret or a key was found. */
  readonly found: readonly string[]
}

const written: string[] = []

/** For a test of the test. */
const NAIVE: readonly Row[] = [
  {
    broken: 'logs addresses',
    code: {
      "app.get('/auth/social-login/callback', ":
        "app.get('/auth/social-login/callback', (req, _res, next) => { console.log(req.url); next() }, ",
    },
    terminal: '',
  },
]

async function main(adapter: Adapter, isNaive: boolean): Promise<void> {
  const write = process.stdout.write.bind(process.stdout)
  const collect = (chunk: string | Uint8Array): boolean => {
    written.push(String(chunk))
    return true
  }
  process.stdout.write = collect
  process.stderr.write = collect
  const table = isNaive ? NAIVE : [...rows, ...(adapter === 'express' ? expressRows : webRows)]
  const readings: Record<string, Reading> = {}
  for (const row of table) readings[row.broken] = await read(adapter, row)
  write(JSON.stringify(readings), () => process.exit())
}

async function read(adapter: Adapter, row: Row): Promise<Reading> {
  const provider = await FakeProvider.start()
  const keys: string[] = []
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const person = newPerson(adapter, row, provider, origin)
  written.length = 0
  const seen = { terminal: '', person: '', tester: '' }
  try {
    await person.restart()
    const answer = await (row.visit?.(person) ?? person.logIn())
    seen.person = readable(answer)
    keys.push(...provider.requests.flatMap(({ form }) => [form['auth_key'] ?? []].flat()))
    await settled()
    seen.terminal = written.join('')
    seen.tester = await person.signIn().then(
      () => '',
      (error: unknown) => String(error),
    )
    await settled()
  } catch (error) {
    seen.terminal = written.join('') + inspect(error)
  } finally {
    await person.stop()
    await provider.stop()
  }
  const secrets = [...Object.values(CANARIES), row.env?.['SOCIAL_CLIENT_SECRET'] ?? '', ...keys].filter(Boolean)
  const found = findSecrets(secrets, { ...seen, everything: written.join('') })
  return { ...seen, found }
}

function newPerson(adapter: Adapter, row: Row, provider: FakeProvider, origin: string): Person {
  const path = { express: '/auth/social-login/callback', web: '/auth/callback' }[adapter]
  const appSecret = CANARIES.SOCIAL_CLIENT_SECRET
  const { appID } = provider.registerApplication({
    name: 'App',
    redirectURL: origin + (row.registered ?? path),
    appSecret,
  })
  const { origin: site } = new URL(provider.baseURL)
  const env = {
    ...CANARIES,
    SOCIAL_BASE_URL: provider.baseURL,
    SOCIAL_CLIENT_ID: appID,
    SOCIAL_CALLBACK_URL: origin + path,
    PORT: new URL(origin).port,
    ...row.env,
  }
  env.SOCIAL_BASE_URL = env.SOCIAL_BASE_URL.replace('ORIGIN', site).replace('HTTPS', site.replace('http:', 'https:'))
  return new Person(adapter, provider, origin, appID, { env, ...(row.code && { code: row.code }) })
}

/** Warnings are given in the next turn. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

if (require.main === module) {
  void main(process.argv[2] === 'web' ? 'web' : 'express', process.argv[3] === 'naive')
}
