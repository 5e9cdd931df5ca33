import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(__dirname, '../../..')
const text = readFileSync(join(ROOT, 'docs/threat-model.md'), 'utf8')

/** The defences of docs/threat-model.md: what each is called, and the lines below it that name its tests. */
function defences(): { title: string; tests: string[] }[] {
  const [, section = ''] = /## Defences\n([\s\S]*?)\n## /.exec(text) ?? []
  return Array.from(
    section.matchAll(/^- \*\*(.+?)\*\*(?:\n|.)*?(?=^- |^### |$(?![\s\S]))/gm),
    ([body, title = '']) => ({
      title,
      tests: Array.from(body.matchAll(/^ {2}- (.*)$/gm), ([, line = '']) => line),
    }),
  )
}

test.each(defences())('$title has an existing test', ({ tests }) => {
  expect(tests.length).toBeGreaterThan(0)
  for (const line of tests) {
    const [, file = '', title = 'no title'] = /^`([\w./-]+)`: (.+)$/.exec(line) ?? []
    const path = join(ROOT, 'test', file)
    expect([line, existsSync(path)]).toStrictEqual([line, true])
    expect(readFileSync(path, 'utf8')).toContain(title)
  }
})

/** The rows of the table of docs/threat-model.md. */
function bounds(): { what: string; where: string; file: string; test: string }[] {
  const rows = Array.from(text.matchAll(/^\| (?!What|-)(.*) \|$/gm), ([, row = '']) => row.split(' | '))
  return rows.map(([what = '', _who, where = '', file = '', test = '']) => ({ what, where, file, test }))
}

test.each(bounds())('$what ends at limits that its file uses, and has an existing test', ({ where, file, test }) => {
  const code = readFileSync(join(ROOT, 'lib', file.replaceAll('`', '')), 'utf8')
  for (const [, limit = ''] of where.matchAll(/`([A-Z][A-Z_]+)`/g)) expect(code).toMatch(new RegExp(`\\b${limit}\\b`))
  const [, path = '', title = 'no title'] = /^`([\w./-]+)`: (.+)$/.exec(test) ?? []
  expect(readFileSync(join(ROOT, 'test', path), 'utf8')).toContain(title)
})

test('what a stranger can cost is found', () => {
  expect(bounds().length).toBeGreaterThan(20)
})

test('the defences are found, and every file that the page names exists', () => {
  expect(defences().length).toBeGreaterThan(20)
  const paths = [...text.matchAll(/`((?:lib|test|docs|example-app)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toStrictEqual([])
})
