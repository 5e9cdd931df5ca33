import type { Exception } from './exception'

/** Of all other files. */
export const OTHERS_EXCEPTIONS: readonly Exception[] = [
  {
    kind: 'equivalent',
    why: 'The error is sent with status 200, whatever it would have otherwise.',
    mutants: [
      'limit | testing/endpoints/authorize | refusedPost | 400 -> (400 + 1)',
      'limit | testing/endpoints/authorize | refusedPost | 400 -> (400 - 1)',
    ],
  },
  {
    kind: 'equivalent',
    why: 'The types of Node want listeners to all five events, and Node itself does not.',
    mutants: [
      'member | diagnostics | onPhaseEnd | start: ignore -> ',
      'member | diagnostics | onPhaseEnd | end: ignore -> ',
      'member | diagnostics | onPhaseEnd | asyncStart: ignore -> ',
      'member | diagnostics | onPhaseEnd | error: ignore -> ',
    ],
  },
  {
    kind: 'equivalent',
    why: 'A report that nobody reads is only slower; Bun and workerd, which differ from Node here, run the consumers.',
    mutants: [
      "condition | diagnostics |  | process.env['NODE_DEBUG'] === undefined -> false",
      'condition | diagnostics | Trace.run | isObserved(phase) -> true',
      'wrapper | diagnostics | Trace.run | isObserved(phase) -> (phase)',
      'operand | diagnostics | isObserved | CHANNELS[phase].hasSubscribers ?? true -> (CHANNELS[phase].hasSubscribers)',
      'operand | diagnostics | isObserved | CHANNELS[phase].hasSubscribers ?? true -> (true)',
      'condition | diagnostics | isObserved | true -> false',
    ],
  },
  {
    kind: 'equivalent',
    why: 'TypeScript asks for it, and the language does the same by itself.',
    mutants: [
      'wrapper | arguments | check | Object(value) -> (value)',
      'wrapper | arguments | check | Object(value) -> (value) (2)',
      'operand | arguments | object | members && { members } -> ({ members })',
      'condition | errors | SocialLoginError.constructor | details.retryAfter !== undefined -> true',
      'wrapper | errors |  | Number(value) -> (value)',
      'wrapper | warnings | warnOfFailure | String(failures) -> (failures)',
    ],
  },
  {
    kind: 'equivalent',
    why: 'Everything is of this kind, so that nothing is told of it.',
    mutants: ["member | arguments |  | must: 'given' -> "],
  },
  {
    kind: 'equivalent',
    why: 'The readers of a login tell only a status of success from one of an error.',
    mutants: [
      'limit | doctor/response | unreadable | 200 -> (200 + 1)',
      'limit | doctor/response | unreadable | 200 -> (200 - 1)',
    ],
  },
  {
    kind: 'equivalent',
    why: 'Nobody can see it: a time that is over in any case, a millisecond of a pause, and digits that a number does not hold.',
    mutants: [
      'limit | testing/state/grants | Grants._issueToken | 0 -> (0 + 1)',
      'limit | testing/state/grants | Grants._issueToken | 0 -> (0 - 1)',
      'limit | testing/state/grants | Grants._issueToken | 0 -> (0 + 1) (2)',
      'limit | testing/state/grants | Grants._issueToken | 0 -> (0 - 1) (2)',
      'limit | testing/http/deliver |  | 20 -> (20 + 1)',
      'limit | testing/http/deliver |  | 20 -> (20 - 1)',
      'limit | testing/pending-login-store/records | allKinds | 2 ** 60 -> (2 ** 60 + 1)',
      'limit | testing/pending-login-store/records | allKinds | 2 ** 60 -> (2 ** 60 - 1)',
    ],
  },
  {
    kind: 'equivalent',
    why: 'The doctor sends one request at a time, and none again that was answered.',
    mutants: [
      'member | doctor/probe | Probe.send | idempotent: false -> ',
      'condition | doctor/probe | Probe.send | false -> true',
    ],
  },
  {
    kind: 'equivalent',
    why: 'The step does not use the store, so that it does not matter of which process it is.',
    mutants: [
      'limit | testing/pending-login-store/rules | withOthers | 1 -> (1 + 1)',
      'limit | testing/pending-login-store/rules | withOthers | 1 -> (1 - 1)',
    ],
  },
  {
    kind: 'equivalent',
    why: 'The clock by which undici closes idle connections ticks twice a second.',
    mutants: ['limit | limits |  | 60_000 -> (60_000 + 1)', 'limit | limits |  | 60_000 -> (60_000 - 1)'],
  },
  {
    kind: 'equivalent',
    why: 'A text has no person in it, but each of its characters would be looked at, level by level.',
    mutants: ["operand | doctor/profile | holdsPerson | typeof json !== 'object' || json === null -> (json === null)"],
  },
  {
    kind: 'equivalent',
    why: 'Each question sets it, any text has a line, and the end of the input has no value: only the types require more.',
    mutants: [
      'condition | doctor/screen | Screen.#isHidden | false -> true',
      'operand | doctor/screen | Screen.finding | `${check}: ${message}`.match(LINES) ?? [] -> (`${check}: ${message}`.match(LINES))',
      'condition | doctor/screen | Screen.ask | done -> false',
    ],
  },
  {
    kind: 'equivalent',
    why: 'A word of two characters is matched by the second half of the pattern.',
    mutants: [String.raw`pattern | doctor/screen |  | /\S(?:.{0,69}\S)?(?!\S)|\S+/g -> /\S(?:.{1,69}\S)?(?!\S)|\S+/g`],
  },
  {
    kind: 'equivalent',
    why: 'Attempts are half a second apart: a millisecond less of the time for them, and they are the same.',
    mutants: ['limit | limits |  | 3000 -> (3000 - 1)'],
  },
  {
    kind: 'equivalent',
    why: 'Only the types require it: undefined is no URL, either, and without an id there is no secret.',
    mutants: [
      String.raw`operand | doctor/browser-login | isCatchable | redirectURL !== undefined && /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?#]|$)/i.test(redirectURL) -> (/^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?([/?#]|$)/i.test(redirectURL))`,
      'operand | doctor/profile | handsOutPerson | response.json ?? null -> (response.json)',
      'operand | doctor/command | run | appID !== undefined && appSecret !== undefined -> (appSecret !== undefined)',
      "operand | doctor/network | shakeHands | socket.getProtocol() ?? '' -> (socket.getProtocol())",
    ],
  },
]
