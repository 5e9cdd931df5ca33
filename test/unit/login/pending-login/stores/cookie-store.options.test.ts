import { inspect } from 'node:util'
import { CookieStore } from '../../../../../lib'
import { thrownBy } from '../../../../support/outcomes'

const KEY = 'cookie-key-canary-0123456789abcdef'
const CANARY = 'key-canary-7f'

describe('the constructor', () => {
  const wrong: [string, unknown, RegExp][] = [
    ['no keys', {}, /^keys must be an array/],
    ['keys that are no array', { keys: KEY }, /^keys must be an array/],
    ['an empty list of keys', { keys: [] }, /^keys must be an array/],
    ['eleven keys', { keys: Array.from({ length: 11 }, () => KEY) }, /^keys must be an array/],
    ['a short key', { keys: [KEY, CANARY] }, /^keys must hold/],
    ['a short key of bytes', { keys: [Buffer.from(CANARY)] }, /^keys must hold/],
    ['a missing key', { keys: [undefined] }, /^keys must/],
    ['a key that is an array', { keys: [Array.from({ length: 40 }, () => CANARY)] }, /^keys must/],
    ['an empty name', { keys: [KEY], name: '' }, /^name must/],
    ['a name with a line break', { keys: [KEY], name: `${CANARY}\r\nx` }, /^name must/],
    ['a name that is no string', { keys: [KEY], name: 7 }, /^name must/],
    ['an allowInsecureHTTP that is no boolean', { keys: [KEY], allowInsecureHTTP: CANARY }, /^allowInsecureHTTP must/],
    [
      'the prefix __Host- in the name',
      { keys: [KEY], name: '__Host-login' },
      /^name must have no prefix: hostPrefix adds/,
    ],
    ['the prefix __secure- in the name', { keys: [KEY], name: '__secure-login' }, /^name must have no prefix/],
    ['a hostPrefix that is no boolean', { keys: [KEY], hostPrefix: CANARY }, /^hostPrefix must/],
    ['no options', undefined, /^CookieStore needs an options object, not undefined$/],
    ['no object as options', 'options', /^CookieStore needs an options object, not a string$/],
  ]

  test.each(wrong)('refuses %s by a TypeError that names the option, never its value', (_title, options, message) => {
    const thrown = thrownBy(() => Reflect.construct(CookieStore, [options]))
    expect(thrown).toBeInstanceOf(TypeError)
    expect(String(Reflect.get(Object(thrown), 'message'))).toMatch(message)
    expect(inspect(thrown, { depth: Infinity })).not.toContain(CANARY)
  })

  test.each([
    ['a key of 32 characters', { keys: ['k'.repeat(32)] }, undefined],
    ['a key of 31 characters', { keys: ['k'.repeat(31)] }, /^keys must hold/],
    ['a key of 32 bytes', { keys: [new Uint8Array(32)] }, undefined],
    ['a key of 31 bytes', { keys: [new Uint8Array(31)] }, /^keys must hold/],
    ['a name of 64 characters', { keys: [KEY], name: 'n'.repeat(64) }, undefined],
    ['a name of 65 characters', { keys: [KEY], name: 'n'.repeat(65) }, /^name must/],
  ])('%s: the limit is there', (_title, options, message) => {
    const make = () => new CookieStore(options)
    if (message) expect(make).toThrow(message)
    else expect(make).not.toThrow()
  })

  test('accepts a name that has such a prefix inside', () => {
    expect(() => new CookieStore({ keys: [KEY], name: 'my__Host-login' })).not.toThrow()
  })

  test('accepts ten keys', () => {
    expect(new CookieStore({ keys: Array.from({ length: 10 }, () => KEY) })).toBeInstanceOf(CookieStore)
  })

  test('does not expose its keys', () => {
    const store = new CookieStore({ keys: [KEY] })
    const shown = inspect(store, { depth: Infinity, showHidden: true }) + JSON.stringify(store)
    expect(shown).not.toContain(KEY)
  })
})
