/** One guard taken away: a change of one compiled file, which a test of the quick set must notice. */
export interface GuardMutant {
  /** In `lib/`, without its extension. */
  readonly file: string
  /** What goes. */
  readonly name: string
  /** A text that the compiled file has exactly once, and what replaces it. */
  readonly from: string
  readonly to: string
  /** Files in `test/` of the quick set, of which one must fail, without `.test.js`. */
  readonly tests: readonly string[]
  /** Why none fails: `equivalent` changes nothing that can be observed, `slow` only a slow test can notice. */
  readonly exempt?: { readonly kind: 'equivalent' | 'slow'; readonly why: string }
}

/** What goes, the text, its replacement; and why no quick test fails. */
type Row = readonly [
  name: string,
  from: string,
  to: string,
  exempt?: { readonly equivalent: string } | { readonly slow: string },
]

/** The mutants of one file. */
export function guards(file: string, tests: readonly string[], rows: readonly Row[]): readonly GuardMutant[] {
  return rows.map(([name, from, to, exempt]) => ({
    file,
    name,
    from,
    to,
    tests,
    ...(exempt && {
      exempt:
        'slow' in exempt
          ? { kind: 'slow' as const, why: exempt.slow }
          : { kind: 'equivalent' as const, why: exempt.equivalent },
    }),
  }))
}
