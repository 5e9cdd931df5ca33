import { isAuthKey } from '../../../lib/client/endpoints'
import { parseJSON } from '../../../lib/client/response/json'
import { readProfile, readToken } from '../../../lib/client/response/responses'
import { thrownBy } from '../../support/outcomes'

// Where the limits of what a provider sends are: the longest that is read, and one character more.

const response = (json: unknown) => ({ status: 200, headers: {}, text: JSON.stringify(json), retried: false })

test('a key has 1 to 512 visible ASCII characters', () => {
  const keys = ['', 'k', 'k'.repeat(512), 'k'.repeat(513), 'a b', 'a\n', 'ä', 7, undefined, ['k']]
  expect(keys.map(isAuthKey)).toStrictEqual([false, true, true, ...Array(7).fill(false)])
})

test('a token has 1 to 4,096 visible ASCII characters', () => {
  const tokenOf = (token: unknown): unknown => {
    try {
      return readToken(response({ access_token: token })).access_token
    } catch (error) {
      return Reflect.get(Object(error), 'code')
    }
  }
  expect([tokenOf('t'), tokenOf('t'.repeat(4096))]).toStrictEqual(['t', 't'.repeat(4096)])
  for (const token of ['t'.repeat(4097), 'a b', 'a\r\nb', 'ä', ['t'], { t: 1 }, true])
    expect([token, tokenOf(token)]).toStrictEqual([token, 'provider_bad_response'])
})

test('an id has 1 to 128 characters', () => {
  const idOf = (id: string) => readProfile(response({ user_id: id })).user.user_id
  expect(idOf('i'.repeat(128))).toHaveLength(128)
  expect(thrownBy(() => idOf('i'.repeat(129)))).toMatchObject({ code: 'profile_invalid' })
})

test('the names of members that are shown are ten, and of three levels', () => {
  const messageOf = (json: unknown): string =>
    String(Reflect.get(Object(thrownBy(() => readToken(response(json)))), 'message'))
  const names = 'code,data,detail,id,info,items,list,message,result,user'.split(',')
  const many = Object.fromEntries(names.map((name) => [name, 1]))
  expect(messageOf({ success: true, ...many })).toContain(`only: success, ${names.slice(0, 9).join(', ')}.`)
  expect(messageOf({ success: true, data: { user: { id: { code: 1 } } } })).toMatch(
    /only: success, data, data\.user, data\.user\.id\. See /,
  )
})

describe('in an application whose prototypes are polluted', () => {
  afterEach(() => {
    for (const name of ['access_token', 'user_id', 'error']) Reflect.deleteProperty(Object.prototype, name)
  })
  const pollute = (name: string, value: unknown): void =>
    void Reflect.defineProperty(Object.prototype, name, { value, configurable: true, enumerable: false })

  test('a token that the provider has not sent is none', () => {
    pollute('access_token', 'planted')
    expect(thrownBy(() => readToken(response({})))).toMatchObject({ code: 'auth_key_rejected' })
  })

  test('a person whom the provider has not sent is nobody', () => {
    pollute('user_id', '1')
    expect(thrownBy(() => readProfile(response({ user_name: 'ada' })))).toMatchObject({ code: 'profile_invalid' })
    expect(readProfile(response({ data: { ...{ user_name: 'ada' }, ...parse('{"user_id":"2"}') } })).user.user_id).toBe(
      '2',
    )
  })
})

const parse = (text: string): object => Object(parseJSON(text))
