import { isObject, ownProperty, parseJSON, tryStringify } from '../../../../lib/client/response/json'

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
  expect(parseJSON(text)).toEqual(expected)
})

test.each([
  ...['', ' ', 'undefined', 'NaN', 'Infinity', '-Infinity', '+1', '01', '-', '1.', '.5', '1e', '0x10', "'a'", '{a:1}'],
  ...['[1,]', '{"a":1,}', '[,1]', '{"a"}', '{"a":}', '{,}', '[', ']', '{', '}', '"', '"\n"', '"\\x41"', '"\\u00g0"'],
  ...['null null', '{}{}', '{} x', '// c\n{}', '/* c */{}', '{"a":1 /* c */}', '<html></html>', '<?php {}', 'TRUE'],
  ...['<b>Warning</b>{"a":1}', '\ufeff\ufeff{}', '{"a":1}\u0000', '[1 2]', '"a" "b"', '{"a":1 "b":2}', '\u00a0{}'],
])('%j is not a JSON document, and the error does not quote it', (text) => {
  expect(refusalOf(() => parseJSON(text))).toBe('not a JSON document')
})

const duplicate = ['{"a":1,"a":2}', '{"a":1,"a":"1"}', '{"a":{"b":1,"b":2}}', '[{"a":null,"a":[]}]']

test.each([...duplicate, '{"a":[1],"a":[1,2]}', '{"a":1,"\\u0061":1}', '{"__proto__":1,"__proto__":2}'])(
  '%s is refused because of a duplicate name',
  (text) => {
    expect(refusalOf(() => parseJSON(text))).toBe('JSON with a duplicate name')
  },
)

test.each([
  ...[
    '{9007199254740993:1}',
    '[9007199254740993 1]',
    '[1-9007199254740993]',
    '[09007199254740993]',
    '[9007199254740993.]',
  ],
  ...['"a"9007199254740993', 'true9007199254740993', '[9007199254740993', '--9007199254740993', '[9007199254740993"]'],
])('%s is not made valid by keeping the digits of a large number', (text) => {
  expect(refusalOf(() => parseJSON(text))).toBe('not a JSON document')
})

test('numbers and braces within strings are left as they are', () => {
  const value = { '9007199254740993:': '[1e400, {"a": -0}]', b: ['\\"9007199254740993', ':'] }
  expect(parseJSON(`{"n":1.50,"value":${JSON.stringify(value)}}`)).toEqual({ n: '1.50', value })
})

test.each([
  '9007199254740993',
  '-9007199254740993',
  '123456789012345678901234567890',
  '1e400',
  '0.1000000000000000055',
])('the number %s, which JavaScript cannot represent, becomes its digits', (literal) => {
  expect(parseJSON(`[${literal}]`)).toStrictEqual([literal])
})

test.each(['0', '1', '-1', '9007199254740991', '9007199254740992', '1.5', '-0.25'])(
  'the exact number %s becomes a number',
  (literal) => {
    expect(parseJSON(`{"n":${literal}}`)).toEqual({ n: Number(literal) })
  },
)

test('an object is neither an array, nor null, nor a number', () => {
  expect(isObject(parseJSON('{}'))).toBe(true)
  for (const text of ['[]', 'null', '1', '9007199254740993', '"a"', 'true'])
    expect(isObject(parseJSON(text))).toBe(false)
})

test('ownProperty finds own members, not inherited ones', () => {
  const object = parseJSON('{"a":1,"__proto__":{"b":"inherited"}}')
  if (!isObject(object)) throw new Error('not an object')
  expect(ownProperty(object, 'a')).toBe(1)
  for (const name of ['b', 'toString', 'constructor', 'hasOwnProperty'])
    expect(ownProperty(object, name)).toBeUndefined()
})

test.each(['__proto__', 'constructor', 'prototype'])('the member %s is left out at every depth', (key) => {
  const value = parseJSON(`{"${key}":{"x":1},"a":[{"${key}":{"x":1},"b":{"${key}":5,"c":1}}]}`)
  expect(value).toEqual({ a: [{ b: { c: 1 } }] })
  expect(JSON.stringify(value)).not.toContain(key)
  expect(Object.getPrototypeOf(Object.assign({}, value))).toBe(Object.prototype)
  expect(Reflect.get({}, 'x')).toBeUndefined()
})

const TOO_DEEP = 'JSON of more than 33 levels, which is a limit of this package'

test('33 levels are plain JSON, more are refused', () => {
  expect(refusalOf(() => parseJSON(nested(33)))).toBe('accepted')
  expect(refusalOf(() => parseJSON(nested(34)))).toBe(TOO_DEEP)
  expect(refusalOf(() => parseJSON(`${'{"a":'.repeat(34)}1${'}'.repeat(34)}`))).toBe(TOO_DEEP)
  expect(refusalOf(() => parseJSON(nested(30_000)))).toBe(TOO_DEEP)
})

test.each([['['], ['{"a":'], ['[['], ['{"a":['], ['"\\"'], ['[1.0,']])('endless %s is refused', (open) => {
  expect(refusalOf(() => parseJSON(open.repeat(30_000)))).toBe('not a JSON document')
})

test.each(['1', '"\\\\"', '[[]],{"a":{}}'])('any number of %s may stand beside each other', (values) => {
  const text = `[${Array(5000).fill(values).join()}]`
  expect(parseJSON(text)).toEqual(JSON.parse(text))
})

test('brackets and commas within a string are not counted', () => {
  const text = `${',[{'.repeat(1000)}"\\`
  expect(parseJSON(JSON.stringify({ text, after: '\\' }))).toEqual({ text, after: '\\' })
  expect(refusalOf(() => parseJSON(`"${'\\"'.repeat(30_000)}`))).toBe('not a JSON document')
})

test('a value is written as JSON, and one that cannot be is undefined', () => {
  const circular: unknown[] = []
  circular.push(circular)
  expect(tryStringify({ a: [1, null] })).toBe('{"a":[1,null]}')
  expect([circular, 1n, undefined].map(tryStringify)).toStrictEqual([undefined, undefined, undefined])
})
