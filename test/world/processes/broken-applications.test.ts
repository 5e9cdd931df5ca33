import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Adapter } from '../broken/application'
import { expressRows } from '../broken/express-rows'
import type { Reading } from '../broken/program'
import type { Row } from '../broken/row'
import { rows, webRows } from '../broken/rows'

const TABLES: Readonly<Record<Adapter, readonly Row[]>> = {
  express: [...rows, ...expressRows],
  web: [...rows, ...webRows],
}

describe.each(['express', 'web'] as const)('the application of the documentation for %s, broken by', (adapter) => {
  let readings: Record<string, Reading>
  beforeAll(() => {
    // As a new user runs it, with README's `.env`.
    const env = { ...process.env, NODE_ENV: '', NODE_DEBUG: 'passport-social-login', NODE_OPTIONS: '' }
    const program = [join(__dirname, '../broken/program.js'), adapter]
    readings = JSON.parse(execFileSync(process.execPath, program, { encoding: 'utf8', env, timeout: 55_000 }))
  })

  test.each(TABLES[adapter])('$broken: everyone who meets it learns the cause where they look', (row) => {
    const reading = readings[row.broken]
    expect(reading?.terminal).toMatch(row.terminal || /^(http:\S+\n)?$/)
    expect(reading?.person).toMatch(row.person ?? /^$/)
    expect(reading?.tester).toMatch(row.tester ?? /^$/)
    // No stack, and neither a secret nor a key anywhere.
    expect(reading?.person).not.toMatch(/\bat .*:\d+:\d+/)
    expect(reading?.found).toStrictEqual([])
  })
})

test('what the tests look for is found in an application that logs the address of its callback', () => {
  const program = [join(__dirname, '../broken/program.js'), 'express', 'naive']
  const readings: Record<string, Reading> = JSON.parse(execFileSync(process.execPath, program, { encoding: 'utf8' }))
  expect(readings['logs addresses']?.found).toContainEqual(expect.stringMatching(/^terminal: plain of /))
})
