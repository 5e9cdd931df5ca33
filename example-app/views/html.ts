import { escapeUTF8 } from 'entities'

/** Text that is HTML already. */
export class Markup {
  constructor(readonly text: string) {}
}

/** What may stand in a template: text is escaped, markup is not, nothing is nothing. */
export type Fragment = string | number | Markup | readonly Markup[] | undefined | false

/** Template tag for HTML. Names, pictures and addresses come from another site: whatever is no markup is escaped. */
export function html(strings: TemplateStringsArray, ...values: readonly Fragment[]): Markup {
  return new Markup(strings.map((string, at) => string + rendered(values[at])).join(''))
}

function rendered(fragment: Fragment): string {
  if (fragment === undefined || fragment === false) return ''
  if (fragment instanceof Markup) return fragment.text
  if (typeof fragment === 'object') return fragment.map((part) => part.text).join('')
  return escapeUTF8(String(fragment))
}
