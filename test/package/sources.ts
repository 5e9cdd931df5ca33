import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const lib = join(__dirname, '../../../lib')

/** The TypeScript of all files of `lib`. */
export const sources = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(lib, name), 'utf8'))
  .join('\n')

/** The names that an entry point exports. */
export function exportsOf(entry: string): string[] {
  const lists = readFileSync(join(lib, entry), 'utf8').matchAll(/^export (?:type )?{([^}]*)}/gm)
  const names = Array.from(lists, ([, list = '']) => list.split(',').map((name) => name.replace('type ', '').trim()))
  return names.flat().filter(Boolean)
}
