import { MANY_OPTIONS, SHARED_OPTIONS } from '../../../../lib/login/providers/options'
import { parseOptions } from '../../../../lib/values'

const required = { clientID: 'id', clientSecret: 'secret' }

test('a strategy has the name that it is given, which must be a text, or social-login', () => {
  const nameOf = (given: object): string => parseOptions(SHARED_OPTIONS, { ...required, ...given }).name
  expect([nameOf({}), nameOf({ name: 'second' })]).toEqual(['social-login', 'second'])
  expect(() => nameOf({ name: 7 })).toThrow(new TypeError('name must be a string'))
  expect(() => nameOf({ name: '' })).toThrow(new TypeError('name must be a non-empty string (is a variable not set?)'))
})

test('the function that finds the provider is taken as it is', () => {
  const provider = (): void => {}
  expect(parseOptions(MANY_OPTIONS, { provider }).provider).toBe(provider)
  expect(() => parseOptions(MANY_OPTIONS, { provider: 'one' })).toThrow(new TypeError('provider must be a function'))
})
