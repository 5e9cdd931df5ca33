import type { Exception } from './exception'

/** Of all other files. */
export const OTHERS_EXCEPTIONS: readonly Exception[] = [
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
]
