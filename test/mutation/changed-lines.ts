import { execFileSync } from 'node:child_process'
import { SourceMap } from 'node:module'
import { CODES } from './mutants'
import type { Mutant } from './rules'

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()

/** What differs from main, or if nothing does, what the last commit has changed. */
export function baseOfChange(since = ''): string {
  const main = since || git('for-each-ref', '--format=%(refname)', 'refs/remotes/origin/main') || 'main'
  const base = git('merge-base', main, 'HEAD')
  const differs = git('diff', '--name-only', base, '--', 'lib') !== '' || newFiles().length > 0
  return differs || since ? base : `${base}~1`
}

const newFiles = (): string[] =>
  git('ls-files', '--others', '--exclude-standard', '--', 'lib')
    .split('\n')
    .filter((name) => name !== '')

/** The lines of `lib/` that differ from a commit, each as the file without extension, a colon and its number. */
export function changedLines(base: string): ReadonlySet<string> {
  const lines = new Set<string>()
  let file = ''
  for (const line of git('diff', '--unified=0', base, '--', 'lib').split('\n')) {
    const [, name] = /^\+\+\+ b\/lib\/(.+)\.ts$/.exec(line) ?? []
    if (name !== undefined) file = name
    const [, from = '', count = '1'] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? []
    // Where lines are gone, those around them may mean something else.
    const [first, last] =
      count === '0' ? [Number(from), Number(from) + 1] : [Number(from), Number(from) + Number(count) - 1]
    if (from !== '') for (let number = first; number <= last; number += 1) lines.add(`${file}:${number}`)
  }
  return lines
}

/** Whether a mutant changes one of these lines, or is of a file that git does not know yet. */
export function isIn(lines: ReadonlySet<string>): (mutant: Mutant) => boolean {
  const files = new Set(newFiles().map((name) => name.replace(/^lib\/|\.ts$/g, '')))
  const maps = new Map<string, SourceMap>()
  const lineOf = (file: string, at: number): number => {
    const code = CODES.get(file) ?? ''
    const map = maps.get(file) ?? sourceMapIn(code)
    maps.set(file, map)
    const before = code.slice(0, at).split('\n')
    const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0)
    return 'originalLine' in entry ? entry.originalLine + 1 : 0
  }
  return ({ file, start, end }) => {
    if (files.has(file)) return true
    const [first, last] = [lineOf(file, start), lineOf(file, end - 1)]
    return Array.from({ length: last - first + 1 }, (_, at) => `${file}:${first + at}`).some((line) => lines.has(line))
  }
}

function sourceMapIn(code: string): SourceMap {
  const [, data = ''] = /sourceMappingURL=data:application\/json;base64,(\S+)$/m.exec(code) ?? []
  return new SourceMap(JSON.parse(Buffer.from(data, 'base64').toString()))
}
