// Prints lib/testing/endpoints/html4-names.ts: the 252 names of HTML 4.01, from the table by which Babel reads JSX.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const parser = readFileSync(createRequire(import.meta.url).resolve('@babel/parser'), 'utf8')
const [, members = ''] = /const entities = \{([^}]*)\}/.exec(parser) ?? []
// XHTML has one more, `apos`.
const rows = [...members.matchAll(/^ {2}(\w+): "(.+)",?$/gm)].filter(
  ([, name]) => name !== '__proto__' && name !== 'apos',
)
const names = rows.map(([, name, literal]) => [
  name,
  JSON.parse(`"${literal.replace(/\\x/g, '\\u00')}"`).codePointAt(0),
])
const words = names
  .sort(([, one], [, other]) => one - other)
  .flatMap(([name, code], at) => (code === (names[at - 1]?.[1] ?? -1) + 1 ? [name] : [code, name]))
const lines = words.join(' ').match(/.{1,116}(?= |$)/g)
console.log(`// Written by tools/html4-names.mjs.

/** The names of HTML 4.01: each number is the code point of the next name, after which they follow one another. */
export const HTML4_NAMES = \`
${lines.map((line) => `  ${line.trim()}`).join('\n')}\``)
