import { PassThrough } from 'node:stream'
import type { Level } from '../../lib/doctor/examination'
import { Screen } from '../../lib/doctor/screen'
import { settled } from '../support/turns'

// What the doctor shows at a terminal, and beside a pipe. What is not good has its code at the end.

/** @returns a terminal or pipes, and what was written to each */
function connected(isTTY: boolean, env: Readonly<Record<string, string>> = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  for (const stream of [stdin, stdout, stderr]) Object.assign(stream, { isTTY })
  const written = (stream: PassThrough): string => String(stream.read() ?? '')
  return { terminal: { stdin, stdout, stderr, env }, out: () => written(stdout), told: () => written(stderr) }
}

const finding = (level: Level, message: string) => ({ level, code: 'exchange_page' as const, check: 'Check', message })

test('findings are aligned, in lines of at most 80 columns', () => {
  const { terminal, out, told } = connected(false)
  const screen = new Screen(terminal, false)
  // With "Check: " these are 71 characters: with the level before them, a line is full.
  const full = `${'x'.repeat(31)} ${'y'.repeat(32)}`
  screen.finding(finding('good', full))
  screen.finding(finding('differs', `${full}z end`))
  screen.finding(finding('broken', `a ${'w'.repeat(90)} b`))
  screen.finding(finding('good', ''))
  expect(out()).toBe(
    [
      `good     Check: ${full}`,
      `differs  Check: ${'x'.repeat(31)}`,
      `         ${'y'.repeat(32)}z end [exchange_page]`,
      'broken   Check: a',
      `         ${'w'.repeat(90)}`,
      '         b [exchange_page]',
      'good     Check:',
      '',
    ].join('\n'),
  )
  expect(told()).toBe('')
})

test.each<[Level, string]>([
  ['good', '\u001b[32mgood\u001b[39m     Check: it\n'],
  ['differs', '\u001b[33mdiffers\u001b[39m  Check: it [exchange_page]\n'],
  ['broken', '\u001b[31mbroken\u001b[39m   Check: it [exchange_page]\n'],
])('%s has its colour on a terminal, unless its user wants none', (level, coloured) => {
  const shown = [connected(true), connected(true, { NO_COLOR: '1' }), connected(false)].map(({ terminal, out }) => {
    new Screen(terminal, false).finding(finding(level, 'it'))
    return out()
  })
  const plain = `${level.padEnd(9)}Check: it${level === 'good' ? '' : ' [exchange_page]'}\n`
  expect(shown).toStrictEqual([coloured, plain, plain])
})

test('findings are not shown where the report is a document', () => {
  const { terminal, out, told } = connected(true)
  const screen = new Screen(terminal, true)
  screen.finding(finding('good', 'it'))
  screen.print('{}')
  screen.close()
  expect([out(), told()]).toStrictEqual(['{}\n', ''])
})

test('on a terminal, what is waited for is shown until there is something else to show', () => {
  const { terminal, out, told } = connected(true)
  const screen = new Screen(terminal, false)
  screen.progress('Looking')
  screen.progress('Asking')
  expect(told()).toBe('Looking ...\r\u001b[KAsking ...')
  screen.print('Found')
  screen.print('Found, too')
  expect([out(), told()]).toStrictEqual(['Found\nFound, too\n', '\r\u001b[K'])
  screen.progress('Closing')
  screen.close()
  screen.close()
  expect(told()).toBe('Closing ...\r\u001b[K')
})

test('beside a pipe, nothing is shown of what is waited for', () => {
  const { terminal, out, told } = connected(false)
  const screen = new Screen(terminal, false)
  screen.progress('Looking')
  screen.print('Found')
  screen.close()
  expect([out(), told()]).toStrictEqual(['Found\n', ''])
})

test('a pipe answers each question with a line, and none after its end', async () => {
  const { terminal, out, told } = connected(false)
  const screen = new Screen(terminal, false)
  expect(screen.isInteractive).toBe(false)
  terminal.stdin.end('secret-canary\nhttp://localhost/\n')
  const answers = [await screen.ask('Secret: ', true), await screen.ask('Address: '), await screen.ask('More: ')]
  screen.close()
  expect(answers).toStrictEqual(['secret-canary', 'http://localhost/', undefined])
  expect([out(), told()]).toStrictEqual(['', 'Secret: \nAddress: More: '])
})

test('a person at a terminal sees what is typed, unless it is hidden', async () => {
  const { terminal, told } = connected(true)
  const screen = new Screen(terminal, false)
  expect(screen.isInteractive).toBe(true)
  const typed = async (question: string, text: string, isHidden?: boolean): Promise<string> => {
    const answer = screen.ask(question, isHidden)
    terminal.stdin.write(`${text}\r`)
    expect(await answer).toBe(text)
    return told()
  }
  expect(await typed('Secret: ', 'secret-canary', true)).toBe('Secret: \n')
  // Before the next question.
  terminal.stdin.write('he')
  await settled(() => terminal.stderr.readableLength)
  expect(told()).toBe('he')
  terminal.stdin.write('\u0015')
  expect(await typed('Address: ', 'here')).toContain('Address: here\r\n')
  expect(await typed('Secret: ', 'secret-canary', true)).toBe('Secret: \n')
  screen.close()
})

test('Ctrl+C ends the process, and gives the terminal back', async () => {
  const { terminal, told } = connected(true)
  const setRawMode = jest.fn()
  Object.assign(terminal.stdin, { setRawMode })
  const kill = jest.spyOn(process, 'kill')
  const screen = new Screen(terminal, false)
  void screen.ask('Address: ')
  expect(setRawMode.mock.calls).toStrictEqual([[true]])
  const closed = new Promise((resolve) => {
    kill.mockImplementation((...args) => {
      resolve(args)
      return true
    })
  })
  terminal.stdin.write('\u0003')
  expect(await closed).toStrictEqual([process.pid, 'SIGINT'])
  expect([setRawMode.mock.calls.at(-1), told()]).toStrictEqual([[false], 'Address: '])
  kill.mockRestore()
})
