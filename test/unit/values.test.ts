import * as kinds from '../../lib/values'

const { checkArguments, typeName } = kinds
const canary = 'canary-5c1e'
/** An instance of a class of another module, as an application may give. */
class Instance {}
/** A promise of another library. */
const thenable = Object.fromEntries([['then', () => {}]])

/** What the check of one argument says: the class of the error and its message, or undefined where all is well. */
function said(kind: kinds.Kind, value: unknown): string | undefined {
  try {
    checkArguments('call', { first: kinds.anything, second: kind }, [canary, value])
    return undefined
  } catch (error) {
    return String(error)
  }
}

test.each<[unknown, string]>([
  [undefined, 'undefined'],
  [null, 'null'],
  [[canary], 'an array'],
  [Promise.resolve(canary), 'a promise (await it first)'],
  [thenable, 'a promise (await it first)'],
  [canary, 'a string'],
  [7, 'a number'],
  [7n, 'a bigint'],
  [true, 'a boolean'],
  [Symbol(canary), 'a symbol'],
  [() => canary, 'a function'],
  [{ canary }, 'an object'],
  [Object.create(null), 'an object'],
  [new Instance(), 'an instance of a class'],
  [new Map([[canary, canary]]), 'an instance of a class'],
])('the type of value number %# is told, with its article', (value, name) => {
  expect(typeName(value)).toBe(name)
})

const options = kinds.object('an object of options', {
  name: kinds.optional(kinds.string),
  Port: kinds.optional(kinds.finite),
})
const port: kinds.Kind = { ...kinds.finite, must: 'a port', inRange: (value) => Number(value) < 70_000 }

test.each<[kinds.Kind, right: readonly unknown[], wrong: readonly (readonly [value: unknown, says: string])[]]>([
  [kinds.anything, [undefined, null, canary], []],
  [kinds.string, ['', canary], [[7, 'TypeError: call: second must be a string, not a number']]],
  [
    kinds.text,
    [canary],
    [
      [7, 'TypeError: call: second must be a string that is not empty, not a number'],
      ['', 'RangeError: call: second must be a string that is not empty'],
    ],
  ],
  [kinds.flag, [true, false], [['true', 'TypeError: call: second must be true or false, not a string']]],
  [kinds.func, [() => {}], [[{}, 'TypeError: call: second must be a function, not an object']]],
  [
    kinds.finite,
    [0, -1.5],
    [
      ['7', 'TypeError: call: second must be a finite number, not a string'],
      [Number.NaN, 'RangeError: call: second must be a finite number'],
      [Number.POSITIVE_INFINITY, 'RangeError: call: second must be a finite number'],
    ],
  ],
  [
    kinds.oneOf('a', 7),
    ['a', 7],
    [
      [true, 'TypeError: call: second must be one of a, 7, not a boolean'],
      [canary, 'TypeError: call: second must be one of a, 7'],
    ],
  ],
  [
    kinds.optional(port),
    [undefined, 69_999],
    [
      [null, 'TypeError: call: second must be a port, not null'],
      [70_000, 'RangeError: call: second must be a port'],
    ],
  ],
  [
    kinds.optional(kinds.func),
    [undefined, () => {}],
    [[7, 'TypeError: call: second must be a function, not a number']],
  ],
  [
    kinds.object('an object'),
    [{}, { canary }, Object.create(null)],
    [
      [[canary], 'TypeError: call: second must be an object, not an array'],
      [null, 'TypeError: call: second must be an object, not null'],
      [() => canary, 'TypeError: call: second must be an object, not a function'],
      [Promise.resolve(canary), 'TypeError: call: second must be an object, not a promise (await it first)'],
      [thenable, 'TypeError: call: second must be an object, not a promise (await it first)'],
      [new Instance(), 'TypeError: call: second must be an object, not an instance of a class'],
    ],
  ],
  [
    options,
    [{}, { name: canary, Port: 7 }, { name: undefined }],
    [
      [{ name: 7 }, 'TypeError: call: second.name must be a string, not a number'],
      [{ Port: Number.NaN }, 'RangeError: call: second.Port must be a finite number'],
      [{ NAME: canary }, 'TypeError: call: second has no member NAME: did you mean name?'],
      [{ port: 7 }, 'TypeError: call: second has no member port: did you mean Port?'],
      [{ other: canary }, 'TypeError: call: second has no member other: there are name, Port'],
    ],
  ],
  [
    kinds.optional(options),
    [undefined, {}],
    [[null, 'TypeError: call: second must be an object of options, not null']],
  ],
  [
    kinds.optional(kinds.object('a person', { id: kinds.string })),
    [undefined, { id: canary }],
    [[{}, 'TypeError: call: second.id must be a string, not undefined']],
  ],
  [
    kinds.withMethods('a store', 'load', 'save'),
    [{ load: () => {}, save: () => {} }, Object.assign(() => {}, { load: () => {}, save: () => {} })],
    [
      [{ load: () => {} }, 'TypeError: call: second must be a store, not an object'],
      [{ load: 1, save: 2 }, 'TypeError: call: second must be a store, not an object'],
      [null, 'TypeError: call: second must be a store, not null'],
      [undefined, 'TypeError: call: second must be a store, not undefined'],
    ],
  ],
])(
  'the kind of argument number %# takes what is right, and says what is wrong without its value',
  (kind, right, wrong) => {
    for (const value of right) expect(said(kind, value)).toBeUndefined()
    for (const [value, says] of wrong) expect(said(kind, value)).toBe(says)
  },
)

test('options may be an instance of the application, and are neither a list nor a promise', () => {
  const values = [{}, new Instance(), Object.create(null), null, [], Promise.resolve({}), () => {}, canary, undefined]
  expect(values.map(kinds.mayBeOptions)).toStrictEqual([true, true, true, ...Array(6).fill(false)])
})
