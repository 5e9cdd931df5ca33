import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express from 'express'
import fc from 'fast-check'
import { Agent } from 'undici'
import { parsePendingLogin } from '../../lib/login/pending-login/pending-login'
import { parseReturnPath } from '../../lib/login/pending-login/return-path'
import { listen } from '../support/listen'
import { newPendingLogin } from '../support/pending-login'
import { isSoak } from '../support/runs'

const APP = 'https://app.example'
const GENERATED = isSoak ? 500_000 : 20_000

const curated = readStrings('open-redirects.json')

function readStrings(name: string): string[] {
  const values: unknown = JSON.parse(readFileSync(join(__dirname, '../../../test/fixtures', name), 'utf8'))
  return Array.isArray(values) ? values.map(String) : []
}

/** Where a browser at `page` goes for the Location `path`. */
function destination(path: string, page: string): string {
  return new URL(path, page).origin
}

// A Location is resolved against the URL that was requested: the callback's, at any path.
const pages = [`${APP}/`, `${APP}/auth/social-login/callback?auth_key=k`, `${APP}//deep//er/`]

/** The return path after a round trip through a session or a cookie. */
function throughRecord(returnTo: string): string | undefined {
  const record = newPendingLogin({ returnTo })
  return parsePendingLogin(JSON.parse(JSON.stringify(record)))?.returnTo
}

// Near-paths, made of pieces that URL parsers, browsers and frameworks read differently.
const pieces = [
  ...['/', '//', '\\', '.', '..', '/.', '/..', '%2e', '%2E%2e', '%2f', '%5c', '%00', '%', '@', ':', ';', '?', '#', '&'],
  ...['\t', '\n', '\r', '\0', ' ', '\u0085', '\u00a0', '\u200b', '\ufeff', '\u2028', '\u3002', '\uff0f', '\uff3c'],
  ...[
    'evil.example',
    'app.example',
    'https:',
    'http://',
    'javascript:',
    'user',
    '[::1]',
    '127.0.0.1',
    'a',
    'ü',
    '\ud800',
  ],
]
const nearlyPath = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join(''))
const anyReturnTo = fc.oneof(
  { weight: 5, arbitrary: nearlyPath },
  { weight: 5, arbitrary: nearlyPath.map((text) => `/${text}`) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map((text) => `/${text}`) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...curated), nearlyPath).map((texts) => texts.join('')) },
)

test(`none of ${GENERATED} generated strings leads to another origin`, () => {
  const statistics = { accepted: 0 }
  fc.assert(
    fc.property(anyReturnTo, (value) => {
      const path = parseReturnPath(value)
      if (path === undefined) return
      statistics.accepted += 1
      expect(pages.filter((page) => destination(path, page) !== APP)).toStrictEqual([])
      expect(path).toMatch(/^\/(?![/\\])/)
      // Still the same path when it is read at the callback.
      expect(throughRecord(value)).toBe(path)
    }),
    { numRuns: GENERATED },
  )
  // Otherwise the property would hold for a function that accepts nothing.
  expect(statistics.accepted).toBeGreaterThan(GENERATED / 20)
})

describe('as Express writes it', () => {
  const agent = new Agent()

  afterAll(() => agent.close())

  test('no curated string makes a Location that a browser follows to another origin', async () => {
    const app = express()
    app.get('/:index', (req, res) => res.redirect(parseReturnPath(curated[Number(req.params.index)]) ?? '/refused'))
    await using listening = await listen(app)
    const { origin } = listening
    for (const index of curated.keys()) {
      const answer = await agent.request({ origin, path: `/${index}`, method: 'GET' })
      await answer.body.dump()
      const location = answer.headers['location']
      expect([curated[index], new URL(String(location), origin).origin]).toStrictEqual([curated[index], origin])
    }
  })
})
