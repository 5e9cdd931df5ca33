import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(__dirname, '../../..')
const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')

/** The rows of the table of defences: each defence and its tests. */
function promises(): [promise: string, tests: string][] {
  const [, section = ''] = /## What is done, and what keeps it\n([\s\S]*?)\n## /.exec(text) ?? []
  const rows = section.split('\n').filter((line) => line.startsWith('| '))
  // Titles contain no pipe; the first row is the header.
  return rows.slice(1).map((row) => {
    const cells = row.split(' | ')
    return [cells[0] ?? '', (cells.at(-1) ?? '').replace(/ \|$/, '')]
  })
}

test('the table of defences is found', () => {
  expect(promises().length).toBeGreaterThan(15)
})

test.each(promises())('%.60s ... has an existing test', (_promise, tests) => {
  const named = tests.split('; ').map((entry) => /^`([\w./-]+)`: (.+)$/.exec(entry))
  expect(named).not.toContain(null)
  for (const match of named) {
    const [, file = '', title = ''] = match ?? []
    const path = join(ROOT, 'test', file)
    expect([file, existsSync(path)]).toEqual([file, true])
    expect(readFileSync(path, 'utf8')).toContain(title)
  }
})

test('every file that it names exists', () => {
  const paths = [...text.matchAll(/`((?:lib|test|docs|example-app)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(10)
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
})
