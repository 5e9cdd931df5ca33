import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOutcome, OUTCOMES, SocialLoginError } from '../../lib/errors'
import { refusalResponse } from '../../lib/login/pages/refusal'
import { WARNINGS, type WarningCode, warningText } from '../../lib/warnings'

// Lines of NODE_DEBUG, warnings and errors for the operator end with the address of a heading that exists. What users may
// read does not.

const root = join(__dirname, '../../..')
const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')
const headings = Array.from(page.matchAll(/^### `(\w+)`$/gm), ([, code = '']) => code)

/** The heading to which a text leads in its last words. */
function headingAt(text: string): string | undefined {
  const [, path = '', anchor] = / See passport-social-login\/(\S+)#(\S+)$/.exec(text) ?? []
  return path === 'docs/errors.md' ? headings.find((heading) => heading.toLowerCase() === anchor) : undefined
}

const codes = Object.keys(OUTCOMES).filter(isOutcome)
const lines = linesOfProgram()

function linesOfProgram(): Map<string, string> {
  const program = join(__dirname, '../unit/line-of-each-code-program.js')
  const output = execFileSync('sh', ['-c', `"${process.execPath}" "${program}" 2>&1`], {
    encoding: 'utf8',
    env: { ...process.env, NODE_DEBUG: 'passport-social-login' },
  })
  const written = Array.from(output.matchAll(/^PASSPORT-SOCIAL-LOGIN \d+: social-login callback: (\w+): .*$/gm))
  return new Map(written.map(([line, code = '']) => [code, line]))
}

test('docs/errors.md has one heading for each code of an outcome and of a warning', () => {
  const others = ['verify_refused', 'application_error']
  expect([...headings].sort()).toStrictEqual([...codes, ...others, ...Object.keys(WARNINGS)].sort())
})

test.each([...codes, 'verify_refused', 'application_error'])(
  'the line of %s ends with the address of its heading',
  (code) => {
    expect(headingAt(lines.get(code) ?? '')).toBe(code)
    expect(lines.get(code)?.match(/errors\.md/g)).toHaveLength(1)
  },
)

test("the line of the application's own code has no address", () => {
  expect(lines.get('out_of_stock')).toMatch(/ \(\d+ ms\)$/)
})

test.each(codes)(
  'the message of %s ends with that address if it is for the operator, and no page for users has it',
  (code) => {
    const error = new SocialLoginError(code, 'callback', { hint: 'A hint.' })
    expect(headingAt(error.message)).toBe(OUTCOMES[code].type === 'error' ? code : undefined)
    for (const accept of ['text/html', 'application/json', 'text/plain']) {
      const { body } = refusalResponse(error, '/callback', accept)
      expect(body).toContain('A hint.')
      expect(body).not.toContain('errors.md')
    }
  },
)

test.each(Object.keys(WARNINGS).filter(isWarning))('the warning %s ends with that address', (code) => {
  expect(headingAt(warningText(code))).toBe(code)
})

function isWarning(name: string): name is WarningCode {
  return Object.hasOwn(WARNINGS, name)
}
