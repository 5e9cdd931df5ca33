import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(__dirname, '../../..')
const FILES = ['package.json', 'README.md', 'tools/set-repository.mjs']

test('the address of the repository is set in package.json, and at the pictures of the README', () => {
  // A copy of what the tool reads and writes.
  const copy = mkdtempSync(join(tmpdir(), 'set-repository-'))
  for (const file of FILES) cpSync(join(root, file), join(copy, file))
  const read = (file: string): string => readFileSync(join(copy, file), 'utf8')
  const setRepository = (...args: string[]): number | null =>
    spawnSync(process.execPath, [join(copy, 'tools/set-repository.mjs'), ...args]).status
  const before = JSON.parse(read('package.json'))
  for (const wrong of ['', 'github.com/somebody/name', 'https://github.com/somebody', 'https://github.com/a/b.git']) {
    expect([wrong, setRepository(wrong)]).toStrictEqual([wrong, 2])
  }
  expect(JSON.parse(read('package.json'))).toEqual(before)
  expect(setRepository('https://github.com/an-organisation/passport-social-login')).toBe(0)
  const address = 'https://github.com/somebody/passport-social-login'
  expect(setRepository(address)).toBe(0)
  expect(JSON.parse(read('package.json'))).toEqual({
    ...before,
    repository: { type: 'git', url: `git+${address}.git` },
    homepage: `${address}#readme`,
    bugs: `${address}/issues`,
    files: expect.not.arrayContaining([expect.stringContaining('screenshots')]),
  })
  const pictures = [...read('README.md').matchAll(/(?:!\[[^\]]*\]\(|<img src=")([^)"]*)/g)].map(([, path]) => path)
  expect(pictures).toContain(`${address}/raw/HEAD/docs/login.svg`)
  expect(pictures).toHaveLength(4)
  expect(pictures.filter((path) => !path?.startsWith(`${address}/raw/HEAD/`))).toStrictEqual([])
  rmSync(copy, { recursive: true })
})
