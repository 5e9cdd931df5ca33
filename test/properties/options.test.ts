import { inspect } from 'node:util'
import fc from 'fast-check'
import { canary, construct, good } from '../support/options'
import { runs } from '../support/runs'

const names = [
  ...['baseURL', 'clientID', 'clientSecret', 'callbackURL', 'name', 'timeout', 'verifyTimeout', 'maxConcurrentLogins'],
  ...[
    'profileEndpoint',
    'userAgent',
    'exchangeMethod',
    'skipUserProfile',
    'uploadsURL',
    'store',
    'passReqToCallback',
    'allowInsecureHTTP',
    'tabBinding',
  ],
  ...['unverifiedStart', 'allowedStartOrigins', 'allowedCallbackOrigins', 'confirmPage', 'dispatcher'],
]
const value = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, -1, 1.5, Number.NaN, Infinity, 1n, Symbol(canary)),
  fc.constantFrom<unknown>([], {}, [canary], { [canary]: canary }, () => canary, new Date(0), /x/, new Map()),
  fc.constantFrom<unknown>(
    '',
    ' ',
    canary,
    `${canary}\n`,
    `http://${canary}.example/v1`,
    `https://${canary}:x@h.example/api/v1`,
  ),
  fc.constantFrom<unknown>(
    `https://h.example/api/v1?${canary}`,
    `https://h.example/api/v1/#${canary}`,
    'https://h.example/api/v1',
  ),
  fc.constantFrom<unknown>(
    `javascript:${canary}`,
    `data:,${canary}`,
    `//${canary}.example/`,
    '/callback',
    `https://*.${canary}`,
  ),
  fc.webUrl().map((url) => url.replace('://', `://${canary}.`)),
  fc.string({ maxLength: 12 }).map((text) => text + canary),
  fc.anything({ maxDepth: 1 }),
)
const changes = fc.dictionary(fc.constantFrom(...names), value, { minKeys: 1, maxKeys: 3 })

const tried = runs(2000, 100_000)
test(`${tried.numRuns} sets of options (seed ${tried.seed}) are accepted, or refused by a TypeError that names one and shows no value`, () => {
  fc.assert(
    fc.property(changes, (changed) => {
      try {
        construct({ ...good, ...changed })
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
        const { message } = Object(error)
        expect(Object.keys(changed).some((name) => message.includes(name))).toBe(true)
        expect(inspect(error, { showHidden: true, depth: Infinity })).not.toContain(canary)
      }
    }),
    tried,
  )
}, 600_000)
