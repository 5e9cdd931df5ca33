import { parse } from '@babel/parser'
import { traverseFast } from '@babel/types'
import { codeOf, constantOf, textOf } from './code'
import type { GuardMutant } from './mutant'

const FILES = ['client/options', 'login/providers/options', 'passport/options', 'web/options']

/** One of these must notice what an option does. Whether its value is checked, they need not know. */
const TESTS = [
  ...[
    'login/options',
    'login/outcomes',
    'login/first-contact',
    'login/login',
    'login/web',
    'login/express',
    'login/user-record',
  ],
  ...['login/many-providers', 'login/many-providers.connections', 'unit/passport/verify', 'unit/client/dispatcher'],
  ...['world/hints', 'world/two-addresses', 'unit/client/abort-and-deadline', 'security/many-providers.pools'],
  ...['security/private-addresses', 'login/own-store', 'login/exchange', 'login/application-errors'],
]

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
      mutants.push({ file, name: `the option ${option} is ignored`, from: textOf(property, code), to, tests: TESTS })
    }
  })
  return mutants
})
