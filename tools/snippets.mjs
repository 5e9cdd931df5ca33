// The code of the documentation, from the pages to the tests. A comment such as
//
//   // docs/guides/linking.md#the-file-to-copy, block 1
//
// stands for the first block of TypeScript or JavaScript under that heading, and `// docs/files/redis-store.ts` for
// that file, which users copy. A block that is inserted into a function loses its imports, because the file has its own:
// they are compiled as modules of their own (test/package/docs/imports). `npm run build` copies
// test/package/snippets/docs to test/package/docs with the code in the place of the comments; the runner of
// test/package/consumers does the same. `node tools/snippets.mjs --unused` lists the blocks that no comment names.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '..')
const SOURCES = join(root, 'test/package/snippets/docs')
const COMMENT = /^( *)\/\/ ([\w/-]+\.md#[\w-]+, block \d+|docs\/files\/[\w.-]+)$/gm
const IMPORT = /^import (type )?(?:(\w+),? )?(?:{ (.*) } )?from '(.*)'\n+/gm
const HEADING_OR_CODE = /^#+ (.*)$|^```(?:ts|js)\n([\s\S]*?)\n```$|^```[\s\S]*?^```$/gm

const read = (file) => readFileSync(file, 'utf8')
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?[jt]s$/.test(name))
    .map((name) => join(folder, name))

/** The code of all pages by its name: page, heading and number. And that of the files to copy, by their paths. */
function readBlocks() {
  const files = filesIn(join(root, 'docs/files'))
  const blocks = new Map(files.map((file) => [relative(root, file).replaceAll('\\', '/'), read(file).trimEnd()]))
  const pages = readdirSync(join(root, 'docs'), { recursive: true }).filter((name) => name.endsWith('.md'))
  for (const page of ['README.md', ...pages.map((name) => `docs/${name.replaceAll('\\', '/')}`)]) {
    let anchor = ''
    let count = 0
    for (const [, heading, code] of read(join(root, page)).matchAll(HEADING_OR_CODE)) {
      if (heading !== undefined) {
        anchor = heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-')
        count = 0
      } else if (code !== undefined) {
        count += 1
        blocks.set(`${page}#${anchor}, block ${count}`, code)
      }
    }
  }
  return blocks
}

const blocks = readBlocks()

/** The names of blocks that were inserted into a function. */
const inFunctions = new Set()

/** Puts the code in the place of the comments, in all files of a folder. */
export function insertBlocks(folder) {
  for (const file of filesIn(folder)) {
    const text = read(file).replaceAll(COMMENT, (_comment, indentation, name) => {
      const code = blocks.get(name)
      if (code === undefined) throw new Error(`${file}: there is no ${name}`)
      if (indentation === '') return code
      inFunctions.add(name)
      return code.replaceAll(IMPORT, '').replaceAll(/^(?=.)/gm, indentation)
    })
    writeFileSync(file, text)
  }
}

/** Writes a module for the imports of each of these blocks: it exports what they import, so that all names must exist. */
function writeImports(folder) {
  mkdirSync(folder)
  for (const name of inFunctions) {
    const exported = Array.from(blocks.get(name).matchAll(IMPORT), ([, type = '', whole, names, from]) => {
      const list = [whole && `default as ${whole}`, names].filter(Boolean)
      return from.startsWith('.') ? '' : `export ${type}{ ${list.join(', ')} } from '${from}'\n`
    })
    const file = `${name.replaceAll(/\W+/g, '-')}.ts`
    if (exported.join('') !== '') writeFileSync(join(folder, file), `// ${name}\n${exported.join('')}`)
  }
}

function unused() {
  const files = [SOURCES, join(root, 'test/package/consumers')].flatMap(filesIn)
  const named = files.flatMap((file) => Array.from(read(file).matchAll(COMMENT), ([, , name]) => name))
  return Array.from(blocks.keys()).filter((name) => !named.includes(name))
}

if (process.argv.includes('--unused')) console.log(unused().join('\n'))
else if (process.argv[1] === import.meta.filename) {
  const output = join(root, 'test/package/docs')
  rmSync(output, { recursive: true, force: true })
  cpSync(SOURCES, output, { recursive: true })
  insertBlocks(output)
  writeImports(join(output, 'imports'))
}
