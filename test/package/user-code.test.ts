import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../..')

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name))

test.each(['example-app', 'test/package/docs'])(
  '%s compiles with the tsconfig of an ordinary application',
  (folder) => {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    expect(spawnSync(process.execPath, [tsc, '-p', join(root, folder)], { encoding: 'utf8' }).stdout).toBe('')
  },
)

test('nothing that a user reads reaches for a property by Reflect', () => {
  const code = ['example-app', 'test/package/consumers'].flatMap((folder) => filesIn(folder, /\.([cm]?ts|[cm]?js)$/))
  const pages = ['README.md', 'SECURITY.md', ...filesIn('docs', /\.md$/), ...filesIn('example-app', /\.md$/)]
  expect(code.length + pages.length).toBeGreaterThan(60)
  const reflecting = (text: string): boolean => /\bReflect\.[gs]et\b/.test(text)
  const read = (file: string): string => readFileSync(join(root, file), 'utf8')
  expect([...code, ...pages].filter((file) => reflecting(read(file)))).toEqual([])
  const comments = filesIn('lib', /\.ts$/).flatMap((file) => read(file).match(/\/\*\*[\s\S]*?\*\//g) ?? [])
  expect(comments.filter(reflecting)).toEqual([])
})
