import { SocialLoginClient } from '../../../lib'
import { CLIENT_OPTIONS } from '../../../lib/client/options'
import { required } from '../../support/options'

// Which value each option of a client may have: option-values.test.ts.

/** What is said of a value of an option; undefined if it is accepted. */
function refusal(option: string, value: unknown): string | undefined {
  try {
    void Reflect.construct(SocialLoginClient, [{ ...required, [option]: value }]).close()
    return undefined
  } catch (error) {
    return String(error)
  }
}

test.each<[option: string, wrong: unknown, must: string]>([
  ['baseURL', 'https://social.example', 'end in /v1, such as https://social.example/api/v1'],
  ['authorizationURL', '/login', 'be an absolute http(s) URL'],
  ['clientID', '', 'be a non-empty string (is a variable not set?)'],
  ['clientSecret', 7, 'be a string'],
  ['exchangeMethod', 'GET', 'be one of: post, get'],
  ['userAgent', 'é', 'have at most 256 characters, all of them printable ASCII'],
  ['timeout', 0, 'be a whole number from 1 to 120,000'],
  [
    'dispatcher',
    {},
    'be an undici dispatcher: it has no request method (Bun replaces undici by a stub: there, import it as undici/index.js)',
  ],
  ['allowInsecureHTTP', 'yes', 'be true or false'],
  ['userRecord', 'data', 'be a function'],
  ['maxConnections', 0, 'be a whole number from 1 to 10,000'],
])('a client is not made where the option %s is %p', (option, wrong, must) => {
  expect(refusal(option, wrong)).toBe(`TypeError: ${option} must ${must}`)
})

test('each option of a client is among these', () => {
  expect(Object.keys(CLIENT_OPTIONS).filter((option) => refusal(option, Symbol('wrong')) === undefined)).toEqual([])
  expect(refusal('userAgent', undefined)).toBeUndefined()
})
