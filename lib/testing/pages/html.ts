import { escapeUTF8 } from 'entities'

/** Text that is already HTML. */
export class Markup {
  constructor(readonly text: string) {}
}

/** Template values: text is escaped, markup is not, undefined and false are omitted. */
export type Fragment = string | number | Markup | readonly Markup[] | undefined | false

function rendered(fragment: Fragment): string {
  if (fragment === undefined || fragment === false) return ''
  if (fragment instanceof Markup) return fragment.text
  if (typeof fragment === 'object') return fragment.map((part) => part.text).join('\n')
  return escapeUTF8(String(fragment))
}

/** Template tag for HTML: every value is escaped unless it is markup. */
export function html(strings: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  const parts = strings.map((string, at) => string + rendered(values[at]))
  return new Markup(parts.join(''))
}
