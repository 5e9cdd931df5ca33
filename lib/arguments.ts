/** What an argument of a public function, or a member of one, must be. */
export interface Kind {
  /** Follows "must be". */
  readonly must: string
  /** Whether the value is of this kind; another one is a TypeError. */
  readonly fits: (value: unknown) => boolean
  /** Whether a value of the kind may be given; another one is a RangeError. Default: any. */
  readonly inRange?: (value: unknown) => boolean
  /** Set where the values are all of a type of TypeScript: another one is a TypeError, too. */
  readonly isEnumeration?: true
  /** The members that an object may have; others are refused. Default: any. */
  readonly members?: Readonly<Record<string, Kind>>
}

/**
 * Checks the arguments of a call by their kinds, in the order of the parameters. A message names the function, the
 * argument, what must be given and the type of what came, never its value.
 * @throws TypeError, or RangeError for a value of the right kind
 */
export function checkArguments(call: string, kinds: Readonly<Record<string, Kind>>, values: ArrayLike<unknown>): void {
  for (const [index, [name, kind]] of Object.entries(kinds).entries()) check(`${call}: ${name}`, kind, values[index])
}

function check(where: string, kind: Kind, value: unknown): void {
  if (!kind.fits(value)) throw new TypeError(`${where} must be ${kind.must}, not ${typeName(value)}`)
  if (kind.inRange && !kind.inRange(value)) {
    const Problem = kind.isEnumeration ? TypeError : RangeError
    throw new Problem(`${where} must be ${kind.must}`)
  }
  const { members } = kind
  if (!members || value === undefined) return
  for (const name of Object.keys(Object(value))) if (!Object.hasOwn(members, name)) throw unknown(where, name, members)
  for (const [name, member] of Object.entries(members))
    check(`${where}.${name}`, member, Reflect.get(Object(value), name))
}

function unknown(where: string, name: string, members: object): TypeError {
  const known = Object.keys(members)
  const similar = known.find((other) => other.toLowerCase() === name.toLowerCase())
  return new TypeError(
    `${where} has no member ${name}: ${similar === undefined ? `there are ${known.join(', ')}` : `did you mean ${similar}?`}`,
  )
}

/** With its article. */
export function typeName(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (isPromise(value)) return 'a promise (await it first)'
  if (typeof value !== 'object') return `a ${typeof value}`
  return isPlain(value) ? 'an object' : 'an instance of a class'
}

/** Also of another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function isPromise(value: unknown): boolean {
  return typeof Reflect.get(Object(value), 'then') === 'function'
}

export const anything: Kind = { must: 'given', fits: () => true }
export const string: Kind = { must: 'a string', fits: (value) => typeof value === 'string' }
export const text: Kind = {
  ...string,
  must: 'a string that is not empty',
  inRange: (value) => value !== '',
}
export const flag: Kind = { must: 'true or false', fits: (value) => typeof value === 'boolean' }
export const func: Kind = { must: 'a function', fits: (value) => typeof value === 'function' }
export const finite: Kind = {
  must: 'a finite number',
  fits: (value) => typeof value === 'number',
  inRange: Number.isFinite,
}

export function oneOf(...values: readonly unknown[]): Kind {
  const types = new Set(values.map((value) => typeof value))
  return {
    must: `one of ${values.join(', ')}`,
    fits: (value) => types.has(typeof value),
    inRange: (value) => values.includes(value),
    isEnumeration: true,
  }
}

export function optional(kind: Kind): Kind {
  const { fits, inRange } = kind
  return {
    ...kind,
    fits: (value) => value === undefined || fits(value),
    ...(inRange && { inRange: (value) => value === undefined || inRange(value) }),
  }
}

/** Whether it can hold options, also as an instance of the application's class. A promise is one that was not awaited. */
export function mayBeOptions(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isPromise(value)
}

/** An object with these members and no others, or with any. An instance, such as a Map, is no list of options. */
export function object(must: string, members?: Readonly<Record<string, Kind>>): Kind {
  const fits = (value: unknown): boolean => mayBeOptions(value) && isPlain(value)
  return { must, fits, ...(members && { members }) }
}

/** An object that has these methods, whatever its class. */
export function withMethods(must: string, ...names: readonly string[]): Kind {
  return { must, fits: (value) => names.every((name) => typeof Reflect.get(Object(value), name) === 'function') }
}
