import { MAX_URL_LENGTH } from './limits'
import { isThenable, refusePromise } from './promises'

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
  if (!kind.fits(value)) {
    const refusal = `${where} must be ${kind.must}, not ${typeName(value)}`
    refusePromise(value, refusal)
    throw new TypeError(refusal)
  }
  if (kind.inRange && !kind.inRange(value)) {
    const Problem = kind.isEnumeration ? TypeError : RangeError
    throw new Problem(`${where} must be ${kind.must}`)
  }
  const { members } = kind
  if (!members || value === undefined) return
  const unknown = Object.keys(Object(value)).find((name) => !Object.hasOwn(members, name))
  if (unknown !== undefined) {
    const known = Object.keys(members)
    const meant = meantName(unknown, known)
    throw new TypeError(
      `${where} has no member ${unknown}: ${meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${meant}?`}`,
    )
  }
  for (const [name, member] of Object.entries(members))
    check(`${where}.${name}`, member, Reflect.get(Object(value), name))
}

// What the options are called elsewhere: by the provider, by OAuth, and by other strategies.
const OTHER_NAMES: Readonly<Record<string, string>> = {
  appid: 'clientID',
  appsecret: 'clientSecret',
  redirecturl: 'callbackURL',
  redirecturi: 'callbackURL',
  authurl: 'authorizationURL',
}

/** The known name that another one most likely means: capitals, `_` and `-` do not count. */
export function meantName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name)
  return known.find((other) => plainName(other) === plain || other === OTHER_NAMES[plain])
}

export function plainName(name: string): string {
  return name.replace(/[_-]/g, '').toLowerCase()
}

/** With its article. */
export function typeName(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (isThenable(value)) return 'a promise (await it first)'
  if (typeof value !== 'object') return `a ${typeof value}`
  return isPlain(value) ? 'an object' : 'an instance of a class'
}

/** Also of another realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
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

/** A whole number within a range. */
export function whole(from: number, to: number): Kind {
  const [least, most] = [from, to].map((bound) => bound.toLocaleString('en'))
  return {
    ...finite,
    must: `a whole number from ${least} to ${most}`,
    inRange: (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
  }
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
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isThenable(value)
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

/**
 * Parses what a caller has given to a constructor. The stack of an error begins at that call: Node keeps ten frames, which
 * would all be those of the parsers.
 */
export function parseFor<T>(called: new (...args: never[]) => unknown, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof TypeError && Object.isExtensible(error)) Error.captureStackTrace?.(error, called)
    throw error
  }
}

/** A parser for each option, which returns the default for undefined. Its TypeError has the name, never the value. */
export type OptionTable<Options> = {
  readonly [Name in keyof Options]-?: (value: Options[Name], name: string, options: object) => unknown
}

export type ParsedOptions<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends (...args: never) => infer Value ? Value : never
}

/** @throws TypeError naming the option that is wrong, never its value */
export function parseOptions<Table extends object>(table: Table, options: object): ParsedOptions<Table> {
  const parsed = Object.entries(table).map(([name, parse]) => [name, parse(Reflect.get(options, name), name, options)])
  return Object.fromEntries(parsed)
}

/**
 * Refuses an option that does not exist, because one that is misspelt would otherwise be ignored in silence.
 * @param cures what to do instead of an option of another package, or of one that exists elsewhere
 * @throws TypeError naming the option
 */
export function refuseUnknown(
  owner: string,
  options: object,
  known: readonly string[],
  cures: Readonly<Record<string, string>> = {},
): void {
  if (!mayBeOptions(options)) throw new TypeError(`${owner} needs an options object, not ${typeName(options)}`)
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue
    if (Object.hasOwn(cures, name)) throw new TypeError(`${name} is not an option of ${owner}: ${cures[name]}`)
    if (known.includes(name)) continue
    const meant = meantName(name, known)
    throw new TypeError(`${name} is not an option of ${owner}${meant === undefined ? '' : `: did you mean ${meant}?`}`)
  }
}

function checkOption(name: string, { must, fits, inRange = () => true }: Kind, value: unknown): void {
  if (!fits(value) || !inRange(value)) throw new TypeError(`${name} must be ${must}`)
}

/** A parser of an option, by its kind. */
function optionOf<T>(kind: Kind, parse: (value: unknown) => T | undefined, fallback: T) {
  return (value: unknown, name: string): T => {
    if (value === undefined) return fallback
    checkOption(name, kind, value)
    return parse(value) ?? fallback
  }
}

/** A whole number from 1 to `max`. */
export function integer(fallback: number, max: number): (value: unknown, name: string) => number {
  return optionOf(whole(1, max), (value) => (typeof value === 'number' ? value : undefined), fallback)
}

/** One of several texts, of which the first is the default. */
export function choice<T extends string>(fallback: T, ...others: readonly T[]): (value: unknown, name: string) => T {
  const allowed = [fallback, ...others]
  return optionOf(
    { ...oneOf(...allowed), must: `one of: ${allowed.join(', ')}` },
    (value) => allowed.find((each) => each === value),
    fallback,
  )
}

export const parseBoolean: (value: unknown, name: string) => boolean = optionOf(flag, (value) => value === true, false)

export function parseFunction<T>(value: T, name: string): T {
  if (value !== undefined) checkOption(name, func, value)
  return value
}

export function parseText(value: unknown, name: string): string {
  if (value === undefined || value === '')
    throw new TypeError(`${name} must be a non-empty string (is a variable not set?)`)
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`)
  if (value.trim() === '') throw new TypeError(`${name} must be a non-empty string`)
  if (value !== value.trim()) throw new TypeError(`${name} must not begin or end with white space (a line break?)`)
  if (value.length > MAX_URL_LENGTH)
    throw new TypeError(`${name} must have at most ${MAX_URL_LENGTH.toLocaleString('en')} characters`)
  return value
}

export function parseOptionalText(value: unknown, name: string): string | undefined {
  return value === undefined ? undefined : parseText(value, name)
}
