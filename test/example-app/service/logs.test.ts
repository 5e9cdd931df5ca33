import { existsSync } from 'node:fs'
import { launchExample, temporaryFolder } from '../../support/example/example-app'

// Runs a command in a pseudo-terminal.
const SCRIPT = '/usr/bin/script'
const IN_TERMINAL = ['/bin/sh', '-c', `exec ${SCRIPT} -qefc "$*" /dev/null`, 'sh']

const folder = temporaryFolder()
afterAll(() => folder.remove())

/** What the example has printed when the request of a page is in its log. */
async function printed(environment: Readonly<Record<string, string>>, wrapper?: readonly string[]): Promise<string> {
  const settings = { DATA_DIR: folder.path, HOST: '127.0.0.1', DRAIN_SECONDS: '0', ...environment }
  const example = launchExample(settings, wrapper)
  const until = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [found] = pattern.exec(example.output()) ?? []
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const url = await until(/http:\/\/127.0.0.1:\d+(?=\s)/)
  await fetch(`${url}/style.css?secret`)
  await until(/\/style.css[^\n]*\n/)
  await example.stop()
  return example.output()
}

test('are lines of JSON where no terminal reads them', async () => {
  const lines = (await printed({})).split('\n').filter((line) => line.startsWith('{'))
  const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request completed')
  expect(requests).toMatchObject([{ req: { method: 'GET', path: '/style.css' }, res: { status: 200 } }])
})

const inTerminal = existsSync(SCRIPT) ? test : test.skip
inTerminal('are readable lines on a terminal', async () => {
  const plain = await printed({ NO_COLOR: '1' }, IN_TERMINAL)
  expect(plain).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: GET \/style\.css request completed: 200 in \d+ ms\r?$/m)
  for (const other of ['{', '\x1b', 'secret']) expect(plain).not.toContain(other)
  expect(await printed({ TERM: 'xterm' }, IN_TERMINAL)).toContain('\x1b[32mINFO')
})
