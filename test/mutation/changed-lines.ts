import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { CODES } from './mutants'
import type { Mutant } from './rules'

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()

/** The commit to compare with: where this branch left main; if nothing of `lib/` differs from that, the one before it. */
export function baseOfChange(since = ''): string {
  const main = since || git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main') || 'main'
  const base = git('merge-base', main, 'HEAD')
  return since || changedLines(base).size > 0 ? base : `${base}~1`
}

/** The lines of `lib/` that differ from a commit, each as the file without extension, a colon and its number. */
export function changedLines(base: string): ReadonlySet<string> {
  const lines = new Set(newFiles().flatMap((file) => linesFrom(file, 1, readFileSync(file, 'utf8').split('\n').length)))
  let file = ''
  for (const line of git('diff', '--unified=0', '--no-ext-diff', '--dst-prefix=', base, '--', 'lib').split('\n')) {
    if (line.startsWith('+++ ')) file = line.slice('+++ '.length)
    const [, from = '', count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    // Where lines are gone, those around them may mean something else.
    const last = Number(from) + (count === '0' ? 1 : Number(count) - 1)
    if (from !== '') for (const one of linesFrom(file, Number(from), last)) lines.add(one)
  }
  return lines
}

/** Files that git does not know yet. */
function newFiles(): string[] {
  const names = git('ls-files', '--others', '--exclude-standard', '--', 'lib')
  return names.split('\n').filter((name) => name !== '')
}

function linesFrom(file: string, first: number, last: number): string[] {
  const name = file.replace(/^lib\/|\.ts$/g, '')
  return Array.from({ length: last - first + 1 }, (_, at) => `${name}:${first + at}`)
}

/** Whether a mutant changes one of these lines. */
export function isIn(lines: ReadonlySet<string>): (mutant: Mutant) => boolean {
  const maps = new Map<string, SourceMap>()
  const lineOf = (file: string, at: number): number => {
    const code = CODES.get(file) ?? ''
    const map = maps.get(file) ?? sourceMapIn(code)
    maps.set(file, map)
    const before = code.slice(0, at).split('\n')
    const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0)
    return 'originalLine' in entry ? entry.originalLine + 1 : 0
  }
  return ({ file, start, end }) =>
    linesFrom(file, lineOf(file, start), lineOf(file, end - 1)).some((line) => lines.has(line))
}

function sourceMapIn(code: string): SourceMap {
  const [, data = ''] = /sourceMappingURL=data:application\/json;base64,(\S+)$/m.exec(code) ?? []
  return new SourceMap(JSON.parse(Buffer.from(data, 'base64').toString()))
}
