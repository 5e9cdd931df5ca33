import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Report } from './report'

/** All rows of the last runs, including trials run individually. */
const FILE = join(__dirname, '../../../../bench/results/outages.json')

const HEAD = [
  'Trial',
  'Logins',
  'Good',
  'Failed',
  'Failed while whole',
  'Good while broken',
  'Reloads',
  'Keys in vain',
  'Good again',
  'Mixed up, lost, doubled',
  'Crashes',
  'Health: longest, wrong',
  'SIGTERM',
  'p50, p99',
]

const rows: Report[] = []

/** Prints the result of a trial and stores it with the others. */
export function addRow(report: Report): void {
  rows.push(report)
  const others = readRows().filter(({ trial }) => trial !== report.trial)
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, `${JSON.stringify([...others, report], null, 2)}\n`)
}

/** Prints the rows of this run as Markdown. */
export function printTable(): void {
  if (rows.length === 0) return
  const lines = [HEAD, HEAD.map(() => '---'), ...rows.map(cells)]
  process.stdout.write(`\n${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n\n`)
}

function cells(report: Report): string[] {
  const failed = Object.entries(report.failed).map(([outcome, count]) => `${count} × ${outcome}`)
  return [
    report.trial,
    String(report.attempted),
    String(report.good),
    failed.join(', ') || '0',
    String(report.failedWhileWhole),
    String(report.goodWhileBroken),
    String(report.reloads),
    String(report.spentInVain),
    `${report.goodAgainS.toFixed(1)} s`,
    `${report.mixedUp}, ${report.lost}, ${report.doubled}`,
    String(report.crashes),
    `${report.healthMs} ms, ${report.healthWrongS} s`,
    report.endedS.map((seconds) => (Number.isFinite(seconds) ? `${seconds.toFixed(1)} s` : 'killed')).join(', '),
    `${report.p50Ms}, ${report.p99Ms} ms`,
  ]
}

function readRows(): Report[] {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'))
  } catch {
    return []
  }
}
