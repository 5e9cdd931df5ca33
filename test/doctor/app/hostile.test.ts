import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTCPServer } from 'node:net'
import { useServers } from '../../support/doctor'
import { runDoctor, unwrapped } from '../../support/doctor-command'
import { port } from '../../support/listen'
import { repeat } from '../../support/raw-provider'

// Applications that try to harm the doctor.

const { listening, serve } = useServers()
afterEach(() => void jest.restoreAllMocks())

const ESCAPES = '\x1b]0;title\x07\x1b[2J\x9b31m\u202etxt'
const OKAY = 'HTTP/1.1 200 OK\r\n'
const LOGIN_PAGE = 'https://social.example/api/oauth?app_id=7'

/** Asks the doctor about a server. @returns the report, its exit code, and how many requests came */
async function examine(respond: (response: ServerResponse, request: IncomingMessage) => void, more: string[] = []) {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    respond(response, request)
  })
  return { ...(await examineAt(`http://localhost:${await listening(server)}`, more)), requests: () => requests }
}

async function examineAt(origin: string, more: string[] = []) {
  const begun = performance.now()
  const args = ['--app', `${origin}/auth`, '--redirect-url', `${origin}/auth/callback`, '--timeout', '1', ...more]
  const { code, stdout, stderr } = await runDoctor(args)
  expect(performance.now() - begun).toBeLessThan(20_000)
  expect(`${stdout}${stderr}`).toMatch(/^[\n -~]*$/)
  expect(stdout.length).toBeLessThan(6000)
  return { code, report: unwrapped(stdout) }
}

/** A start that is right, and callbacks that are answered so. */
const answering =
  (head: Record<string, string | string[]>, mark = 'auth_key_missing') =>
  (response: ServerResponse, { url = '', headers }: IncomingMessage): void => {
    if (url.startsWith('/auth/callback')) {
      const known = url.includes('auth_key') ? 'login_not_started' : mark
      return void response.writeHead(403, { 'social-login': known }).end()
    }
    const isScript = headers['sec-fetch-mode'] === 'cors'
    response
      .writeHead(302, { location: LOGIN_PAGE, 'social-login': isScript ? 'navigation_required' : 'start', ...head })
      .end()
  }

describe('a redirect', () => {
  test.each<[to: string, (origin: string) => string]>([
    ['another port of this machine', (origin) => `${origin}/admin`],
    ['another name of it', (origin) => `${origin.replace('localhost', '127.0.0.1')}/admin`],
    ['the same, by https', (origin) => `${origin.replace('http:', 'https:')}/auth`],
    ['a network', () => 'http://10.0.0.7/auth'],
    ['a file', () => 'file:///etc/passwd'],
    ['something else', () => 'javascript:alert(1)'],
    ['an address without end', () => `https://app.example/${'x'.repeat(9000)}`],
  ])('to %s is not followed', async (_to, location) => {
    const seen: (string | undefined)[] = []
    const { origin } = new URL(await serve((request, response) => void response.end(seen.push(request.url))))
    const { code, requests } = await examine((response) =>
      response.writeHead(302, { location: location(origin) }).end(),
    )
    expect([code, seen, requests() <= 4]).toStrictEqual([1, [], true])
  })

  test('to itself is not followed either', async () => {
    const { code, requests } = await examine((response, { url }) => response.writeHead(302, { location: url }).end())
    expect([code, requests() <= 4]).toStrictEqual([1, true])
  })

  test('is reported without its query, and not beyond 100 characters', async () => {
    const location = `/auth/${'x'.repeat(200)}?token=canary`
    const { report } = await examine((response) => response.writeHead(302, { location }).end())
    expect(report).toMatch(/asks for another login first, or changes the path \(http:\S{92}\.\.\.\)/)
    expect(report).not.toContain('canary')
  })
})

describe('a response', () => {
  test.each([
    ['that drips', (response: ServerResponse) => void setInterval(() => response.write('x'), 50).unref()],
    ['that never begins', () => {}],
    [
      'that breaks off',
      (response: ServerResponse) => void response.writeHead(200, { 'content-length': 9 }).socket?.destroy(),
    ],
  ])('%s ends the examination at its deadline', async (_what, respond) => {
    const { code, report } = await examine(respond)
    expect([code, report]).toStrictEqual([1, expect.stringContaining('[app_unreachable]')])
  })

  test.each([
    ['an endless body', repeat(`${OKAY}\r\n`, 'x'.repeat(1000))],
    ['headers without end', repeat(`${OKAY}x-a: `, 'x'.repeat(65_536))],
    ['early hints without end', repeat('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n')],
  ])('with %s is left', async (_what, wire) => {
    const server = createTCPServer((socket) => void socket.on('error', () => {}).once('data', () => wire(socket, '')))
    await listening(server)
    expect((await examineAt(`http://localhost:${port(server)}`)).code).toBe(1)
  })

  test('with terminal escapes wherever something is shown shows none', async () => {
    const encoded = encodeURIComponent(ESCAPES)
    const location = `https://social.example/${encoded}/oauth?app_id=${encoded}`
    const { report } = await examine(answering({ location, 'set-cookie': `a${'\x9b'}=b; SameSite=Strict` }))
    expect(report).toContain('of the application id ?]0;title??[2J?31m?txt at https://social.example/%1B')
  })
})

describe('a mark', () => {
  test.each(['__proto__', 'constructor', 'toString', 'x'.repeat(5000), 'start, start', 'Start'])(
    'that is no word of the login is none: %.20s',
    async (mark) => {
      const { report } = await examine((response) => response.writeHead(200, { 'social-login': mark }).end('<p>'))
      expect(report).toContain('[start_single_page]')
      expect(report).not.toContain('xxxxx')
    },
  )

  test.each(['start', 'confirm', 'tab', 'login', 'auth_key_missing', 'callback_forged', 'application_error'])(
    'that is %s for everything ends the examination',
    async (mark) => {
      const head = { 'social-login': mark, location: LOGIN_PAGE, 'set-cookie': 'a=b' }
      const { code, requests } = await examine((response) => response.writeHead(302, head).end())
      expect([code, requests() <= 32]).toStrictEqual([1, true])
    },
  )

  test('that is another each time ends it, too', async () => {
    const words = ['start', 'confirm', 'auth_key_missing', 'login_not_started', 'callback_forged', 'tab', 'login']
    for (let first = 0; first < words.length; first += 1) {
      let at = first
      const { requests } = await examine((response) => {
        const head = { 'social-login': words[at++ % words.length], location: LOGIN_PAGE, 'set-cookie': `a${at}=b` }
        response.writeHead(302, head).end()
      })
      expect(requests()).toBeLessThanOrEqual(32)
    }
  })
})

describe('cookies', () => {
  const strict = (name: string): string => `${name}=b; SameSite=Strict`
  /** Finds the login with this cookie alone. */
  const finding =
    (name: string, lines: string[]) =>
    (response: ServerResponse, request: IncomingMessage): void => {
      const { url = '', headers } = request
      const isFound = url.includes('auth_key') && headers.cookie?.includes(`${name}=b`)
      if (isFound) response.writeHead(403, { 'social-login': 'callback_forged' }).end()
      else answering({ 'set-cookie': lines })(response, request)
    }

  test('by the hundred are asked for one by one no more than the limit allows', async () => {
    const lines = Array.from({ length: 150 }, (_, index) => strict(`c${index}`))
    const { code, requests } = await examine(finding('c40', lines))
    expect([code, requests() <= 32]).toStrictEqual([1, true])
  })

  test('are named up to 64 characters', async () => {
    for (const [name, shown] of [
      ['x'.repeat(64), `the cookie ${'x'.repeat(64)}`],
      ['x'.repeat(65), 'a cookie'],
      ['a@b', 'a cookie'],
    ] as const) {
      const { report } = await examine(finding(name, [strict(name)]))
      expect(report).toContain(`Browsers do not send ${shown} on the way back`)
    }
  })
})

test('a run ends after a minute, however long each answer takes', async () => {
  let later = 0
  const { now } = performance
  jest.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + later)
  const { code, stdout } = await (async () => {
    const server = createServer((request, response) => {
      response.on('close', () => {
        later += 12_000
      })
      answering({ 'set-cookie': 'a=b' })(response, request)
    })
    return runDoctor(['--app', `http://localhost:${await listening(server)}/auth`])
  })()
  expect([code, unwrapped(stdout)]).toStrictEqual([0, expect.stringContaining('ended early, after a minute')])
})
