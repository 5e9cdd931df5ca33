import { CLIENT_OPTIONS } from '../../lib/client/options'
import { MANY_OPTIONS, SHARED_OPTIONS } from '../../lib/login/providers/options'
import { STRATEGY_OPTIONS } from '../../lib/passport/options'
import { parseOptions } from '../../lib/values'
import { required } from '../support/options'

// The limits that an application can set. Those of a login, of connections and of responses are tested where they are used.

test.each<[option: string, table: object, byDefault: number, most: number]>([
  ['timeout', CLIENT_OPTIONS, 10_000, 120_000],
  ['maxConnections', CLIENT_OPTIONS, 128, 10_000],
  ['timeout', SHARED_OPTIONS, 10_000, 120_000],
  ['maxConcurrentLogins', SHARED_OPTIONS, 128, 10_000],
  ['maxPools', MANY_OPTIONS, 100, 10_000],
  ['verifyTimeout', STRATEGY_OPTIONS, 30_000, 600_000],
])('%s has a default, and a range: %#', (option, table, byDefault, most) => {
  const read = (value?: number): unknown => {
    const others = { ...required, callbackURL: 'https://app.example/cb' }
    return Reflect.get(parseOptions(table, { ...others, [option]: value }), option)
  }
  expect([read(), read(1), read(most)]).toStrictEqual([byDefault, 1, most])
  const range = `${option} must be a whole number from 1 to ${most.toLocaleString('en')}`
  for (const value of [0, most + 1]) expect(() => read(value)).toThrow(new TypeError(range))
})
