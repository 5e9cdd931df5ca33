import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const lib = join(__dirname, '../../../lib')
const sources = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(lib, name), 'utf8'))
  .join('\n')

/** The names that an entry point exports. */
function exportsOf(entry: string): string[] {
  const lists = readFileSync(join(lib, entry), 'utf8').matchAll(/^export (?:type )?{([^}]*)}/gm)
  return Array.from(lists, ([, list = '']) => list.split(','))
    .flat()
    .map((name) => name.replace('type ', '').trim())
    .filter(Boolean)
}

/** The comment before the declaration of a name. */
function commentOf(name: string): string {
  const declaration = `(?=^export (?:class|interface|type|const|(?:async )?function) ${name}\\b)`
  return new RegExp(`(?:^/\\*\\*(?:(?!\\*/)[\\s\\S])*?\\*/\\n)${declaration}`, 'm').exec(sources)?.[0] ?? ''
}

test.each(['index.ts', 'testing/index.ts'])('every export of lib/%s is documented with an example', (entry) => {
  const names = exportsOf(entry)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !commentOf(name).includes('@example'))).toEqual([])
})
