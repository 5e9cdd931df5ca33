import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSecrets } from '../../support/canaries'
import type { FreshStorage } from '../../support/example/storages'
import { useExamples } from '../../support/example/use-examples'

const TABLES = ['users', 'federated_credentials', 'sessions', 'rate_limits', 'migrations']

export function testSecrets(fresh: FreshStorage): void {
  const examples = useExamples('each test')

  test('holds no key, token, cookie or secret: neither the log nor the database', async () => {
    const storage = await fresh()
    const { provider, application } = examples
    const example = await examples.start(storage.environment)
    const ada = examples.visitor()
    const secrets = [application.appSecret, storage.environment['SESSION_SECRET'] ?? '']
    const sessions = async (): Promise<void> => {
      const cookies = await ada.browser.cookies(example.appURL)
      secrets.push(
        ...[...cookies.matchAll(/example-login=([^;]+)/g)].map(([, sealed = '']) => sealed),
        ...[...cookies.matchAll(/example-session=s%3A([\w-]+)\.([\w%]+)/g)].flatMap(([, id = '', signature = '']) => [
          id,
          signature,
        ]),
      )
    }
    for (const fault of [undefined, { status: 500 }, { body: '{"error":true}' }, { body: 'null' }, { reset: true }]) {
      if (fault) provider.failNext('authorize', fault, { times: Number.POSITIVE_INFINITY })
      const key = ada.newKey()
      secrets.push(key)
      await ada.begin(example.appURL)
      await sessions()
      await ada.comeBack(example.appURL, key)
      provider.clearFaults()
      if (!fault) await ada.confirm(example.appURL)
      await sessions()
    }
    provider.failNext('user/me', { status: 500 }, { times: Number.POSITIVE_INFINITY })
    await ada.submit(`${example.appURL}/profile/reload`)
    await ada.submit(`${example.appURL}/profile/reload`)
    provider.clearFaults()
    await ada.browser.request(`${example.appURL}/nowhere?auth_key=${secrets[2]}`)
    for (const { headers } of provider.requests) {
      if (headers.authorization) secrets.push(headers.authorization.replace('Bearer ', ''))
    }
    expect(new Set(secrets).size).toBeGreaterThanOrEqual(12)

    const rows = await Promise.all(TABLES.map((table) => storage.rows(`select * from ${table}`)))
    const sinks = {
      log: example.output(),
      rows: JSON.stringify(rows),
      files: filesOf(storage.environment['DATA_DIR']),
    }
    expect(sinks.log.split('\n').length).toBeGreaterThan(15)
    expect(sinks.log).toContain('"code":"provider_unavailable"')
    expect(sinks.rows).toContain('ada@people.example')
    expect(findSecrets([...new Set(secrets)], sinks)).toStrictEqual([])
  })
}

function filesOf(folder: string | undefined): string {
  if (folder === undefined) return ''
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n')
}
