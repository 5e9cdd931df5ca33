import { withAddress } from '../../lib/errors'
import { WARNINGS, type WarningCode, warnOfFailure, warnOfMissingHeaders, warnOnce } from '../../lib/warnings'

const emitWarning = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
afterEach(() => emitWarning.mockClear())
afterAll(() => emitWarning.mockRestore())

const given = (): unknown[] => emitWarning.mock.calls

// Two more are given by functions of their own, below.
const ONCE: readonly WarningCode[] = [
  ...(['CALLBACK_SHARED', 'NAME_SHARED', 'OPTION_MISSPELT', 'PASSPORT_SESSION_MISSING', 'SECRET_IN_URL'] as const),
  ...(['LOGIN_TOO_LATE', 'SESSION_COOKIE_INSECURE'] as const),
  ...(['SESSION_COOKIE_NOT_SET', 'SESSION_COOKIE_STRICT', 'VERIFY_SETTLED_TWICE'] as const),
]

test.each(ONCE)('the warning %s is given once, with its code and sentence', (code) => {
  warnOnce(code)
  warnOnce(code)
  expect(given()).toStrictEqual([[withAddress(WARNINGS[code], code), { type: 'SocialLoginWarning', code }]])
})

test('the codes of warnings are these', () => {
  expect(Object.keys(WARNINGS).sort()).toEqual(
    [...ONCE, 'AUTHENTICATE_CALLBACK_FAILED', 'START_HEADERS_MISSING'].sort(),
  )
})

test('of failures of one kind, the first, the tenth, the hundredth and so on are warned of, with their number', () => {
  for (let count = 1; count <= 1000; count += 1) warnOfFailure(`in test ${count}.`)
  const code: WarningCode = 'AUTHENTICATE_CALLBACK_FAILED'
  expect(given()).toEqual(
    [1, 10, 100, 1000].map((count) => [
      withAddress(`${WARNINGS[code]} (${count} so far) in test ${count}.`, code, '\n'),
      { type: 'SocialLoginWarning', code },
    ]),
  )
})

test('three starts without headers are warned of, unless an earlier one had some', () => {
  for (const hasSource of [true, false, false, false, false]) warnOfMissingHeaders(hasSource)
  expect(given()).toStrictEqual([])
})
