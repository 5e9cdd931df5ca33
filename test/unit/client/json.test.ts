import { isObject, numberLiteral, ownProperty, parseJSON, toJSONObject, toJSONValue } from '../../../lib/client/json'

function plain(text: string): unknown {
  return toJSONValue(parseJSON(text))
}

function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof SyntaxError) return error.message
    throw error
  }
  return 'accepted'
}

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth)

test.each([
  ...['null', 'true', 'false', '0', '1', '-1', '1.5', '""', '"a"', '[]', '{}', '[1,[2,{"a":null}]]', ' {"a" : [ ] } '],
  ...['"\\u00e9\\n\\"\\\\"', '"😀"', '{"a":{"b":{"c":[true,false,null,"x",12]}}}', '\t\r\n1\n', '{"":""}'],
])('%j is parsed as JSON.parse does', (text) => {
  const expected: unknown = JSON.parse(text)
  expect(plain(text)).toEqual(expected)
})

test.each([
  ...['', ' ', 'undefined', 'NaN', 'Infinity', '-Infinity', '+1', '01', '-', '1.', '.5', '1e', '0x10', "'a'", '{a:1}'],
  ...['[1,]', '{"a":1,}', '[,1]', '{"a"}', '{"a":}', '{,}', '[', ']', '{', '}', '"', '"\n"', '"\\x41"', '"\\u00g0"'],
  ...['null null', '{}{}', '{} x', '// c\n{}', '/* c */{}', '{"a":1 /* c */}', '<html></html>', '<?php {}', 'TRUE'],
  ...['<b>Warning</b>{"a":1}', '\ufeff\ufeff{}', '{"a":1}\u0000', '[1 2]', '"a" "b"', '{"a":1 "b":2}', '\u00a0{}'],
])('%j is not a JSON document, and the error does not quote it', (text) => {
  expect(refusalOf(() => parseJSON(text))).toBe('not a JSON document')
})

test.each(['{"a":1,"a":2}', '{"a":1,"a":"1"}', '{"a":{"b":1,"b":2}}', '[{"a":null,"a":[]}]', '{"a":[1],"a":[1,2]}'])(
  '%s is refused because of a duplicate name',
  (text) => {
    expect(refusalOf(() => parseJSON(text))).toBe('not a JSON document')
  },
)

test('a duplicate name with equal values is accepted', () => {
  expect(plain('{"a":"1","a":"1"}')).toEqual({ a: '1' })
})

test.each([
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '1e400',
  '0.1000000000000000055',
])('the number %s, which JavaScript cannot represent, becomes its digits', (literal) => {
  expect(plain(`[${literal}]`)).toEqual([literal])
})

test.each(['0', '1', '-1', '9007199254740991', '9007199254740992', '1.5', '-0.25'])(
  'the exact number %s becomes a number',
  (literal) => {
    expect(plain(`{"n":${literal}}`)).toEqual({ n: Number(literal) })
  },
)

test('numberLiteral returns the literal as it was sent, and undefined for anything but a number', () => {
  for (const literal of ['1', '1.0', '1e0', '-0', '9007199254740993']) {
    expect(numberLiteral(parseJSON(literal))).toBe(literal)
  }
  for (const text of ['"1"', 'null', 'true', '[]', '[1]', '{}', '{"isLosslessNumber":true,"value":"1"}']) {
    expect(numberLiteral(parseJSON(text))).toBeUndefined()
  }
  expect(numberLiteral(1)).toBeUndefined()
})

test('an object is neither an array, nor null, nor a number', () => {
  expect(isObject(parseJSON('{}'))).toBe(true)
  expect(isObject(parseJSON('{"isLosslessNumber":true,"value":"1"}'))).toBe(true)
  for (const text of ['[]', 'null', '1', '"a"', 'true']) expect(isObject(parseJSON(text))).toBe(false)
})

test('ownProperty finds own members, not inherited ones', () => {
  const object = parseJSON('{"a":1,"__proto__":{"b":"inherited"}}')
  if (!isObject(object)) throw new Error('not an object')
  expect(numberLiteral(ownProperty(object, 'a'))).toBe('1')
  for (const name of ['b', 'toString', 'constructor', 'hasOwnProperty'])
    expect(ownProperty(object, name)).toBeUndefined()
})

test.each(['__proto__', 'constructor', 'prototype'])('the member %s is left out at every depth', (key) => {
  const value = plain(`{"${key}":{"x":1},"a":[{"${key}":{"x":1},"b":{"${key}":5,"c":1}}]}`)
  expect(value).toEqual({ a: [{ b: { c: 1 } }] })
  expect(JSON.stringify(value)).not.toContain(key)
  expect(Reflect.get({}, 'x')).toBeUndefined()
})

test('a plain object has the ordinary prototype and can be merged', () => {
  const object = toJSONObject(Object.assign({}, parseJSON('{"__proto__":{"isAdmin":true},"a":1}')))
  expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
  expect(Reflect.get(Object.assign({}, object), 'isAdmin')).toBeUndefined()
})

const TOO_COMPLEX = 'JSON has too many values, or is nested too deeply'

test('33 levels are plain JSON, more are refused before they are parsed', () => {
  expect(refusalOf(() => plain(nested(33)))).toBe('accepted')
  expect(refusalOf(() => parseJSON(nested(34)))).toBe(TOO_COMPLEX)
  expect(refusalOf(() => parseJSON(nested(40, '{"a":', '}')))).toBe(TOO_COMPLEX)
  expect(refusalOf(() => parseJSON(nested(100_000)))).toBe(TOO_COMPLEX)
})

test.each([['['], ['{"a":'], ['[['], ['{"a":[']])('endless nesting of %s is refused', (open) => {
  expect(refusalOf(() => parseJSON(open.repeat(100_000)))).toBe(TOO_COMPLEX)
})

test('500 values are plain JSON, more are refused before they are parsed', () => {
  const array = (count: number): string => `[${Array(count).fill('1').join()}]`
  const object = (count: number): string => `{${Array.from({ length: count }, (_, n) => `"${n}":1`).join()}}`
  expect(refusalOf(() => parseJSON(array(499)))).toBe('accepted')
  expect(refusalOf(() => parseJSON(object(499)))).toBe('accepted')
  expect(refusalOf(() => parseJSON(array(500)))).toBe(TOO_COMPLEX)
  expect(refusalOf(() => parseJSON(object(500)))).toBe(TOO_COMPLEX)
})

test('brackets and commas within a string are not counted', () => {
  const text = `${',[{'.repeat(1000)}"\\`
  expect(plain(JSON.stringify({ text, after: '\\' }))).toEqual({ text, after: '\\' })
  expect(refusalOf(() => parseJSON(`"${'\\"'.repeat(30_000)}`))).toBe('not a JSON document')
})
