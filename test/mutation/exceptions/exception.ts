/** Mutants that no quick test notices, and why. */
export interface Exception {
  /** `equivalent` changes nothing that can be observed or that is promised; `slow` is noticed by a slow test only. */
  readonly kind: 'equivalent' | 'slow'
  readonly why: string
  /** As `npm run test:mutation` prints them. */
  readonly mutants: readonly string[]
}
