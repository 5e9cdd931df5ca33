import type * as Options from '../../../lib/passport/options'

/** What is said of the options of a call, in a process that has warned of nothing yet. */
function saidOf(options: object): { warnings: unknown[]; error: TypeError | undefined } {
  jest.resetModules()
  const { misplacedOption }: typeof Options = require('../../../lib/passport/options')
  const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const error = misplacedOption(options)
  const warnings = emitWarning.mock.calls.map(([, given]) => Reflect.get(Object(given), 'code'))
  emitWarning.mockRestore()
  return { warnings, error }
}

test.each([
  { return_to: '/inbox' },
  { 'call-back-url': '/cb' },
  { State: 1 },
  { tabbinding: true },
  { User_Agent: 'x' },
])('options of a call that are those of this package but for capitals, "_" or "-" are a warning: %j', (options) => {
  expect(saidOf(options)).toEqual({ warnings: ['OPTION_MISSPELT'], error: undefined })
})

test('those of this package and of others are none', () => {
  const options = { returnTo: '/inbox', state: 1, callbackURL: '/cb', successRedirect: '/', scope: 'profile', '': 1 }
  expect(saidOf(options)).toEqual({ warnings: [], error: undefined })
})
