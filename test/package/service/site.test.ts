import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(__dirname, '../../../..')

/** The site of `npm run docs`. TypeDoc itself fails on a link in a doc comment or to a file that does not exist. */
describe('the site of the documentation', () => {
  let site: string
  let pages: string[]
  const ids = new Map<string, ReadonlySet<string>>()

  const read = (page: string): string => readFileSync(join(site, page), 'utf8')
  const idsOf = (page: string): ReadonlySet<string> => {
    const known = ids.get(page) ?? new Set(Array.from(read(page).matchAll(/ id="([^"]+)"/g), ([, id = '']) => id))
    ids.set(page, known)
    return known
  }

  beforeAll(() => {
    site = mkdtempSync(join(tmpdir(), 'site-'))
    execFileSync('npm', ['run', '--silent', 'docs', '--', '--out', site], { cwd: root, stdio: 'pipe' })
    pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
  }, 300_000)
  afterAll(() => rmSync(site, { recursive: true, force: true }))

  test('has a page for each page of docs/ and each export, and a search', () => {
    const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    const expected = documents.filter((name) => name.endsWith('.md')).length + ['SECURITY.md', 'CHANGELOG.md'].length
    expect(pages.filter((page) => page.startsWith('documents/'))).toHaveLength(expected)
    for (const page of ['index.Strategy', 'web.SocialLogin', 'testing.FakeProvider']) {
      expect(pages).toContain(`classes/${page}.html`)
    }
    expect(existsSync(join(site, 'assets/search.js'))).toBe(true)
  })

  test('has no link, between pages and symbols, that leads nowhere', () => {
    const broken = new Set<string>()
    for (const page of pages) {
      for (const [, link = ''] of read(page).matchAll(/ (?:href|src)="(?!https?:|data:)([^"]+)"/g)) {
        const [path = '', id] = decodeURIComponent(link).split('#')
        const target = path === '' ? page : join(dirname(page), path.replace(/\/$/, '/index.html'))
        const isThere = existsSync(join(site, target)) && (!id || idsOf(target).has(id))
        if (!isThere) broken.add(`${page}: ${link}`)
      }
    }
    expect([...broken]).toStrictEqual([])
  })
})
