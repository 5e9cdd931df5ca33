import { Clock } from '../../../lib/testing'
import { CookieBrowser } from '../../../lib/testing/cookie-browser'

// The cookies of the browser in a check of a store, and in signIn.

const NOW = 1_700_000_000_000
const clock = new Clock()

beforeEach(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW)
  clock.set(NOW)
})
afterEach(() => void jest.restoreAllMocks())

test('a cookie is sent until its end, which Max-Age or else Expires tells', () => {
  const browser = new CookieBrowser(clock)
  const expires = (milliseconds: number): string => new Date(NOW + milliseconds).toUTCString()
  browser.receive([
    'session=1',
    'aged=2; Max-Age=60',
    `dated=3; Expires=${expires(120_000)}`,
    `both=4; Max-Age=60; Expires=${expires(120_000)}`,
    'gone=5; Max-Age=0',
  ])
  const sent = [0, 59_999, 60_000, 119_999, 120_000].map((age) => {
    clock.set(NOW + age)
    return browser.header
  })
  const [all, rest] = ['session=1; aged=2; dated=3; both=4', 'session=1; dated=3']
  expect(sent).toStrictEqual([all, all, rest, rest, 'session=1'])
})

test('a cookie as long as browsers keep it is kept, and a longer one is not', () => {
  const browser = new CookieBrowser(clock)
  browser.receive([`a=${'x'.repeat(4094)}`, `b=${'x'.repeat(4095)}`])
  expect(browser.header).toBe(`a=${'x'.repeat(4094)}`)
})

test('it is told whether a cookie has a new value', () => {
  const browser = new CookieBrowser(clock)
  expect([['a=1'], ['a=1'], ['a=2'], ['b=1', 'a=2'], []].map((lines) => browser.receive(lines))).toStrictEqual([
    true,
    false,
    true,
    true,
    false,
  ])
})

test('a request from another site has all but the strict ones', () => {
  const browser = new CookieBrowser(clock)
  browser.receive(['a=1; SameSite=Strict', 'b=2; SameSite=Lax', 'c=3'])
  expect([browser.header, browser.crossSiteHeader]).toStrictEqual(['a=1; b=2; c=3', 'b=2; c=3'])
})

test('a copy has the same cookies, and a forged one others of the same length', () => {
  const browser = new CookieBrowser(clock)
  browser.receive(['a=12345', 'b=ABABA; Max-Age=60'])
  const [copy, forged] = [browser.copy(), browser.forge()]
  expect([copy.header, forged.header]).toStrictEqual(['a=12345; b=ABABA', 'a=12A45; b=ABBBA'])
  clock.set(NOW + 60_000)
  expect([copy.header, forged.header]).toStrictEqual(['a=12345', 'a=12A45'])
})
