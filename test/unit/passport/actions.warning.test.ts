import { incoming } from '../../support/incoming'

type Login = Parameters<typeof import('../../../lib/passport/actions').runLogin>[0]

/** What the process is told of a login that fails with an error, in an application that fails at telling it, too. */
async function warned(login: Login, thrown: unknown, more: object = {}, own: object = {}): Promise<string[]> {
  // The first failure of a process is a warning, and the second is none.
  jest.resetModules()
  const { runLogin }: typeof import('../../../lib/passport/actions') = require('../../../lib/passport/actions')
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const fail = (): never => {
    throw thrown
  }
  const actions = { success: fail, fail, redirect: fail, pass: fail, error: fail, ...own }
  await runLogin(login, actions, Object(incoming('/callback', {}, more)), {})
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

const redirecting: Login = async () => ({ action: { type: 'redirect', url: '/' }, appOrigin: undefined })

test('a warning tells of a login that came too late, where that can be told in no other way', async () => {
  expect(await warned(redirecting, new Error('second'), { res: { headersSent: true } })).toStrictEqual([
    expect.stringMatching(/Error: A login ended after the response had been sent[\s\S]*\nThen: Error: second/),
  ])
})

test('in Fastify, whose request is no stream, it is a warning alone, and the redirect is left to Fastify', async () => {
  const urls: string[] = []
  const redirect = (url: string): void => void urls.push(url)
  const fastify = { res: { headersSent: true }, pipe: undefined }
  expect(await warned(redirecting, undefined, fastify, { redirect })).toStrictEqual([
    expect.stringMatching(/^A login ended after the response had been sent/),
  ])
  expect(urls).toStrictEqual(['/'])
})
