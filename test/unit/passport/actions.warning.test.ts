import { incoming } from '../../support/incoming'

type Login = Parameters<typeof import('../../../lib/passport/actions').runLogin>[0]

/** What the process is told of a login that fails with an error, in an application that fails at telling it, too. */
async function warned(login: Login, thrown: unknown, res?: object): Promise<string[]> {
  // The first failure of a process is a warning, and the second is none.
  jest.resetModules()
  const { runLogin }: typeof import('../../../lib/passport/actions') = require('../../../lib/passport/actions')
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const fail = (): never => {
    throw thrown
  }
  const actions = { success: fail, fail, redirect: fail, pass: fail, error: fail }
  await runLogin(login, actions, Object(incoming('/callback', {}, { res })), {})
  const warnings = emitWarning.mock.calls.map(([message]) => String(message))
  emitWarning.mockRestore()
  return warnings
}

test.each<[string, unknown, unknown, RegExp]>([
  [
    'the stacks of errors',
    new Error('first'),
    new TypeError('second'),
    /Error: first\n {4}at [\s\S]*\nThen: TypeError: second\n {4}at /,
  ],
  ['the type of what is none', null, 'canary', /It was of the type object\.\nThen: It was of the type string\.\nSee /],
  [
    'nothing of an object that is none',
    { stack: 'canary' },
    { message: 'canary' },
    / object\.\nThen: .* object\.\nSee /,
  ],
])('a warning has both causes: %s', async (_title, error, thrown, expected) => {
  const warnings = await warned(() => Promise.reject(error), thrown)
  expect(warnings).toStrictEqual([expect.stringMatching(expected)])
  expect(warnings.join()).not.toContain('canary')
})

test('a warning tells of a login that came too late, where that can be told in no other way', async () => {
  const login: Login = async () => ({ action: { type: 'redirect', url: '/' }, appOrigin: undefined })
  expect(await warned(login, new Error('second'), { headersSent: true })).toStrictEqual([
    expect.stringMatching(/Error: A login ended after the response had been sent[\s\S]*\nThen: Error: second/),
  ])
})
