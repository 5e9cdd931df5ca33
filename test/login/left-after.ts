import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutcomeCode, Phase } from '../../lib'

/** The documented state after an outcome of the callback. */
export interface Left {
  readonly code: string
  readonly key: string
  readonly login: string
  /** The phases in which the outcome leaves this. */
  readonly phases: readonly string[]
}

const SECTION = /^### `([a-z_]+)`\n([\s\S]*?)(?=^##)/gm
const SENTENCE = /(?:In phase `(\w+)`[^,]*, )?the key (is unspent|is spent|may be spent), and the login is (kept|over)/g
const BEFORE = ['callback', 'exchange'] satisfies Phase[]
const AFTER = ['profile', 'verify'] satisfies Phase[]

/** What the sections of docs/errors.md say of key and login. */
export function readLeft(): Left[] {
  const page = readFileSync(join(__dirname, '../../../docs/errors.md'), 'utf8')
  return Array.from(page.matchAll(SECTION)).flatMap(([, code = '', section = '']) => {
    const [, text = ''] = /^\*\*Key and login\*\*: ([\s\S]*?)\n\n/m.exec(section) ?? []
    return Array.from(text.replaceAll('\n', ' ').matchAll(SENTENCE), ([, phase, key = '', login = '']) => ({
      code,
      key: key.replace('is ', ''),
      login,
      phases: phase ? [phase] : key === 'is spent' ? AFTER : BEFORE,
    }))
  })
}

/** What one outcome leaves. */
export function leftAfter(documented: readonly Left[], code: OutcomeCode, phase: Phase): Left {
  const [left, ...others] = documented.filter((one) => one.code === code && one.phases.includes(phase))
  if (!left || others.length > 0) throw new Error(`docs/errors.md tells not once what ${code} leaves in ${phase}`)
  return left
}
