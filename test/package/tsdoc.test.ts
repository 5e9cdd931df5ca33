import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../..')
const lib = join(root, 'lib')
const files = readdirSync(lib, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(lib, name), 'utf8') }))
const sources = files.map(({ text }) => text).join('\n')

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

test.each(['index.ts', 'web/index.ts', 'testing/index.ts'])(
  'every export of lib/%s is documented with an example',
  (entry) => {
    const names = exportsOf(entry)
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !commentOf(name).includes('@example'))).toEqual([])
  },
)

/** The examples of all doc comments, by the file that they are in. */
function examples(): { name: string; code: string }[] {
  return files.flatMap(({ name, text }) =>
    Array.from(text.matchAll(/^ *\* @example\n((?: *\*(?! @|\/).*\n)+)/gm), ([, body = '']) => ({
      name,
      code: body.replaceAll(/^ *\* ?/gm, ''),
    })),
  )
}

describe('the examples of the doc comments', () => {
  let folder: string
  const ofIndex = new Set(exportsOf('index.ts'))
  const imports = [
    ['index.ts', 'passport-social-login'],
    ['web/index.ts', 'passport-social-login/web'],
    ['testing/index.ts', 'passport-social-login/testing'],
  ].map(([entry = '', from]) => {
    // What the adapters have in common is exported by both.
    const names = exportsOf(entry).filter((name) => entry === 'index.ts' || !ofIndex.has(name))
    return `import { ${names.join(', ')} } from '${from}'`
  })
  const options = {
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
  }

  beforeAll(() => {
    // Below the package's root, so that they import it by its name, as its users do.
    folder = mkdtempSync(join(root, 'dist', 'examples-'))
    copyFileSync(join(root, 'test/package/snippets/surroundings.d.ts'), join(folder, 'surroundings.d.ts'))
    for (const [index, { name, code }] of examples().entries()) {
      // Modules of their own: each has its names, and may await.
      const file = `${name.replaceAll(/\W/g, '-')}-${index}.mts`
      writeFileSync(join(folder, file), `${imports.join('\n')}\n${code}`)
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test.each([{ module: 'node16' }, { module: 'esnext', moduleResolution: 'bundler' }])(
    'compile as users compile their code, with %j',
    (mode) => {
      const compilerOptions = { ...options, ...mode, lib: ['es2023'], types: ['node', 'passport'] }
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts', '*.d.ts'] }))
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      expect(spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout).toBe('')
    },
  )

  test('are as many as the exports that have one', () => {
    expect(examples().length).toBe(sources.split('@example').length - 1)
    expect(examples().length).toBeGreaterThan(50)
  })
})
