import { parse } from '@babel/parser'
import { traverseFast } from '@babel/types'
import { codeOf, constantOf, textOf } from './code'
import type { GuardMutant } from './mutant'

const FILES = ['client/options', 'login/providers/options', 'passport/options', 'web/options']

/** One of these must notice what an option does. Whether its value is checked, they need not know. */
const TESTS = [
  ...['login/options', 'login/first-contact', 'login/exchange', 'login/user-record', 'login/own-store', 'login/web'],
  ...['login/many-providers.connections', 'login/application-errors', 'world/two-addresses', 'unit/passport/verify'],
  ...['unit/client/dispatcher', 'unit/client/abort-and-deadline', 'security/private-addresses'],
]

const EXEMPT: Readonly<Record<string, GuardMutant['exempt']>> = {
  provider: { kind: 'equivalent', why: 'the adapters read the function from the options themselves' },
}

/** For each option one mutant that checks its value, and then uses the default. */
export const OPTION_MUTANTS: readonly GuardMutant[] = FILES.flatMap((file) => {
  const code = codeOf(file)
  const mutants: GuardMutant[] = []
  traverseFast(parse(code).program, (node) => {
    const { name = '', value: table } = constantOf(node) ?? {}
    if (!name.endsWith('_OPTIONS') || table?.type !== 'ObjectExpression') return
    for (const property of table.properties) {
      if (property.type !== 'ObjectProperty') continue
      const [option, parser] = [textOf(property.key, code), textOf(property.value, code)]
      const to = `${option}: (value, ...rest) => ((${parser})(value, ...rest), (${parser})(undefined, ...rest))`
      const { [option]: exempt } = EXEMPT
      const name = `the option ${option} is ignored`
      mutants.push({ file, name, from: textOf(property, code), to, tests: TESTS, ...(exempt && { exempt }) })
    }
  })
  return mutants
})
