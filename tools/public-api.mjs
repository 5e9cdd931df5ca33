// Prints the public interface of the package: for each entry point what it exports, and then every declaration that
// these reach in the compiler's output, without comments and private members. `npm run api` writes it to
// test/package/public-api.txt, and a test compares the two.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from '@babel/parser'
import { traverseFast } from '@babel/types'

const lib = join(import.meta.dirname, '../dist/lib')
const ENTRIES = { '.': 'index.d.ts', './web': 'web/index.d.ts', './testing': 'testing/index.d.ts' }

/** The statements of each file that was read, by its path. */
const files = new Map()

function read(file) {
  if (!files.has(file)) {
    const text = readFileSync(file, 'utf8')
    const plugins = [['typescript', { dts: true }]]
    const { program, comments } = parse(text, { sourceType: 'module', plugins })
    files.set(file, { text, comments, statements: program.body })
  }
  return files.get(file)
}

/** The file of an import within the package; undefined for a package or a module of Node. */
function resolve(from, path) {
  if (!path.startsWith('.')) return undefined
  const target = join(dirname(from), path)
  return [`${target}.d.ts`, join(target, 'index.d.ts')].find(existsSync)
}

const isExport = ({ type }) => type === 'ExportNamedDeclaration'
const nameOf = (identifier) => identifier.name ?? identifier.value

/** The statements that declare a name in a file: several for an overloaded function. */
function declarationsOf(file, name) {
  return read(file).statements.filter((statement) => {
    const declaration = isExport(statement) ? statement.declaration : statement
    const ids = declaration?.declarations?.map(({ id }) => id) ?? [declaration?.id]
    return ids.some((id) => id?.name === name)
  })
}

/** Where a file has a name from: an import, or an export of another file's. */
function sourceOf(file, name) {
  for (const { source, specifiers = [] } of read(file).statements) {
    const specifier = specifiers.find(({ local, exported }) => nameOf(exported ?? local) === name)
    const path = source && specifier && resolve(file, source.value)
    if (path) return { file: path, name: nameOf(specifier.imported ?? specifier.local) }
  }
  return undefined
}

const isHidden = (member) => member.accessibility === 'private' || member.type === 'ClassPrivateProperty'

/** The text of a statement without comments and private members. */
function textOf(file, statement) {
  const { text, comments } = read(file)
  const hidden = [...comments]
  traverseFast(statement, (node) => {
    if (node.type === 'ClassBody') hidden.push(...node.body.filter(isHidden))
  })
  let result = ''
  let end = statement.start
  for (const part of hidden.sort((one, other) => one.start - other.start)) {
    if (part.start < end || part.end > statement.end) continue
    result += text.slice(end, part.start)
    end = part.end
  }
  result += text.slice(end, statement.end)
  return result.replace(/^export (?:declare )?|^declare (?!module|global)/, '').replaceAll(/^\s*\n/gm, '')
}

const reached = new Set()
const texts = new Set()

function reach(file, name) {
  const key = `${file} ${name}`
  if (reached.has(key)) return
  reached.add(key)
  const source = sourceOf(file, name)
  if (source) return reach(source.file, source.name)
  for (const statement of declarationsOf(file, name)) add(file, statement)
}

function add(file, statement) {
  texts.add(textOf(file, statement))
  const names = new Set()
  traverseFast(statement, (node) => {
    if (isHidden(node)) return traverseFast.skip
    if (node.type === 'Identifier') names.add(node.name)
  })
  for (const name of names) reach(file, name)
}

for (const [entry, path] of Object.entries(ENTRIES)) {
  const file = join(lib, path)
  const names = read(file).statements.flatMap(({ specifiers = [] }) => specifiers.map(({ exported }) => exported.name))
  console.log(`passport-social-login${entry.slice(1)} exports\n${names.sort().join('\n')}\n`)
  for (const name of names) reach(file, name)
}
// What is added to other packages: the options and results of Passport's functions.
for (const [file, { statements }] of files) {
  for (const statement of statements) if (statement.type === 'TSModuleDeclaration') add(file, statement)
}
console.log(Array.from(texts).sort().join('\n\n'))
