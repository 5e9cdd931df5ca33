/** Regular expressions that lack one part: an alternative, a member of a class or an anchor, have a class that admits everything, or another count. */
export function mutateRegExp(pattern: string, flags: string): string[] {
  const patterns = [...withoutAlternatives(pattern), ...withoutParts(pattern)]
  const changed = patterns.filter((each) => each !== pattern && each !== '').map((each) => `/${each}/${flags}`)
  return [...new Set(changed)]
}

/** An escaped character, a whole class, a count, or one character. */
const TOKEN =
  /\\(?:u\{[^}]+\}|u[\dA-F]{4}|x[\dA-F]{2}|[pP]\{[^}]+\}|k<\w+>|.)|\[(?:\\.|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\((?:\?(?:<?[=!]|:|<\w+>))?|[^\\[(]/gisu

function tokensOf(pattern: string): { text: string; start: number; end: number }[] {
  return Array.from(pattern.matchAll(TOKEN), ({ 0: text, index }) => ({ text, start: index, end: index + text.length }))
}

function withoutAlternatives(pattern: string): string[] {
  const results: string[] = []
  const open: { start: number; bars: number[] }[] = [{ start: 0, bars: [] }]
  const close = (end: number): void => {
    const { start = 0, bars = [] } = open.pop() ?? {}
    if (bars.length === 0) return
    const edges = [start - 1, ...bars, end]
    edges.slice(0, -1).forEach((edge, index) => {
      const next = edges[index + 1] ?? end
      const isFirst = index === 0
      results.push(pattern.slice(0, isFirst ? start : edge) + pattern.slice(isFirst ? next + 1 : next))
    })
  }
  for (const { text, start, end } of tokensOf(pattern)) {
    if (text.startsWith('(')) open.push({ start: end, bars: [] })
    else if (text === '|') open.at(-1)?.bars.push(start)
    else if (text === ')') close(start)
  }
  close(pattern.length)
  return results
}

function withoutParts(pattern: string): string[] {
  return tokensOf(pattern).flatMap(({ text, start, end }) => {
    const replace = (by: string): string => pattern.slice(0, start) + by + pattern.slice(end)
    if (text === '^' || text === '$') return [replace('')]
    if (text.startsWith('[')) return [...withoutMembers(text), '[^]'].map(replace)
    const [, low, high] = /^\{(\d+)(?:,(\d*))?\}$/.exec(text) ?? []
    if (low === undefined) return []
    const counts = high ? [`{${low},${Number(high) + 1}}`, `{${low},${Number(high) - 1}}`] : []
    return [...counts, text.replace(low, String(Number(low) + 1))].map(replace)
  })
}

const MEMBER =
  /(?:\\(?:u\{[^}]+\}|u[\dA-F]{4}|x[\dA-F]{2}|[pP]\{[^}]+\}|.)|[^\\])(?:-(?:\\(?:u\{[^}]+\}|u[\dA-F]{4}|x[\dA-F]{2}|.)|[^\\]))?/gisu

function withoutMembers(text: string): string[] {
  const inside = text.slice(1, -1)
  const from = inside.startsWith('^') ? 1 : 0
  const members = Array.from(inside.slice(from).matchAll(MEMBER))
  return members.length < 2
    ? []
    : members.map(
        ({ 0: member, index }) => `[${inside.slice(0, from + index)}${inside.slice(from + index + member.length)}]`,
      )
}
