import dns from 'node:dns'
import { get, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createServer as createTLSServer } from 'node:tls'
import { errorCode } from '../../lib/client/http/network-errors'
import { readToken } from '../../lib/client/response/responses'
import { isCatchable, listenForCallback } from '../../lib/doctor/browser-login'
import { runDoctor as runWith } from '../../lib/doctor/command'
import { examine } from '../../lib/doctor/doctor'
import { Examination, type Finding } from '../../lib/doctor/examination'
import { NOT_ASKED, Probe, ProbeError } from '../../lib/doctor/probe'
import { optionLines } from '../../lib/doctor/report'
import { obstacleIn } from '../../lib/doctor/response'
import { Screen } from '../../lib/doctor/screen'
import { countConnections } from '../support/connections'
import { diagnose, sendJSON, useServers } from '../support/doctor'
import { runDoctor } from '../support/doctor-command'
import { freePort } from '../support/free-port'
import { rejectionOf } from '../support/leak-check'

// Where the limits of the doctor are, and what it prints of what it received.

const { listening, serve } = useServers()
// Before its servers are stopped.
afterEach(() => void jest.restoreAllMocks())
const refuse = (response: ServerResponse) => sendJSON(response, { error: true }, 401)
const newExamination = (): Examination =>
  new Examination(new Probe('test', 1000, 'http://localhost'), { progress: () => {}, finding: () => {} })

describe('the options to paste are code, and nothing in them can be more than a text', () => {
  /** What the code of the options means. */
  function evaluate(code: string): Record<string, unknown> {
    const strategy = function (this: unknown, options: unknown) {
      return options
    }
    return new Function('Strategy', 'process', 'verify', `return ${code}`)(strategy, { env: {} }, undefined)
  }

  test.each([
    "http://localhost/it's/v1",
    "http://localhost/'+process.exit()+'/v1",
    'http://localhost/\\',
    "http://localhost/\\'+process.exit()//",
    'http://localhost/\n\u2028${process.exit()}`',
  ])('%j', (text) => {
    const examination = newExamination()
    Object.assign(examination.options, { baseURL: text, callbackURL: text, clientID: text, uploadsURL: text })
    const shown = text.replace(/[^\x20-\x7e]/g, '?')
    const options = { baseURL: shown, callbackURL: shown, clientID: shown, uploadsURL: shown }
    expect(evaluate(optionLines(examination))).toEqual({ ...options, clientSecret: undefined })
  })

  test('a path with an apostrophe, to which the provider redirects', async () => {
    const path = "/it's/'+process.exit()+'/v1"
    const baseURL = await serve((request, response) => {
      if (request.url === '/api/v1/user/me') response.writeHead(301, { location: `${path}/user/me` }).end()
      else refuse(response)
    })
    const { report } = await diagnose(baseURL)
    const code = report.slice(report.indexOf('new Strategy('))
    expect(evaluate(code)).toMatchObject({ baseURL: new URL(path, baseURL).href })
  })
})

test('a secret is left out, of four characters on: a shorter one would be found in ordinary words', () => {
  const examination = newExamination()
  for (const secret of ['abc', 'WXYZ']) examination.hide(secret)
  expect(['xabcx', 'xwxyzx', 'xWXYZx', 'x%57xyzx'].map((text) => examination.isHarmless(text))).toStrictEqual([
    true,
    false,
    false,
    false,
  ])
})

test('a key that is not well encoded is exchanged as it is', async () => {
  const keys: (string | null)[] = []
  const baseURL = await serve(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    if (form.get('app_secret') === 'app-secret-canary') keys.push(form.get('auth_key'))
    refuse(response)
  })
  const driver = { logIn: async () => 'http://localhost:1/cb?auth_key=k%zz', mayExchangeByGet: async () => false }
  await diagnose(baseURL, { login: { appID: 'mine', appSecret: 'app-secret-canary', spendTwice: false, driver } })
  expect(keys).toStrictEqual(['k%zz'])
})

test('a name that resolves into this network is asked for nothing, unless it was typed', async () => {
  let asked = 0
  const { port } = new URL(
    await serve((_request, response) => {
      asked += 1
      refuse(response)
    }),
  )
  const tell =
    (found: unknown) =>
    (...args: unknown[]): void => {
      const answer = args.at(-1)
      if (typeof answer === 'function') answer(null, found)
    }
  jest.spyOn(dns, 'lookup').mockImplementation(tell([{ address: '127.0.0.1', family: 4 }]))
  jest.spyOn(dns, 'resolve4').mockImplementation(tell(['127.0.0.1']))
  jest.spyOn(dns, 'resolve6').mockImplementation(tell([]))
  const origin = `http://inside.example:${port}`
  const send = async (probe: Probe) => {
    const sent = probe.send({ method: 'GET', url: new URL(origin) })
    const result = await sent.then(({ status }) => status, errorCode)
    await probe.close()
    return result
  }
  expect([await send(new Probe('test', 1000, origin)), asked]).toStrictEqual([401, 1])
  expect([await send(new Probe('test', 1000, 'http://typed.example')), asked]).toStrictEqual([NOT_ASKED, 1])
})

describe('a name that resolves into this network only when the certificate is looked at', () => {
  type Tell = (...args: unknown[]) => void
  const tell =
    (...found: unknown[]): Tell =>
    (...args) => {
      const answer = args.at(-1)
      if (typeof answer === 'function') setImmediate(() => answer(...found))
    }
  const nowhere = tell(Object.assign(new Error(), { code: 'ENOTFOUND' }))
  const here = tell(null, ['127.0.0.1'])

  /** @param resolve looks the name up for the certificate @returns the findings, and how often this machine was connected to */
  async function lookInside(resolve: Tell, isListening: boolean) {
    const server = createTLSServer()
    const port = await listening(server)
    const connections = countConnections(server)
    if (!isListening) await new Promise((done) => server.close(done))
    const typed = await serve((request, response) => {
      response.writeHead(301, { location: `https://inside.example:${port}${request.url}` }).end()
    })
    const found: string[] = []
    const progress = (text: string): void => {
      if (text === 'Looking at the certificate') jest.spyOn(dns, 'resolve4').mockImplementation(resolve)
    }
    const finding = ({ message }: Finding): void => void found.push(message.replace(String(port), 'PORT'))
    const input = { baseURL: new URL(typed), userAgent: 'test', timeout: 30_000, hasProxy: false }
    await examine(input, { progress, finding })
    return { found, accepted: connections.accepted }
  }

  test.each([
    ['by the system', nowhere, 'The host name could not be looked up (DNS).'],
    [
      'by its name server',
      here,
      'It leads to https://inside.example:PORT, a private address, and no one typed it: nothing is requested there.',
    ],
  ])('%s is not connected to, so that the report does not show whether anything listens', async (...row) => {
    const [, resolve, sentence] = row
    const { lookup } = dns
    const local = tell(null, [{ address: '127.0.0.1', family: 4 }])
    jest.spyOn(dns, 'lookup').mockImplementation((...args) => {
      if (String(args[0]) === 'inside.example') local(...args)
      else Reflect.apply(lookup, dns, args)
    })
    jest.spyOn(dns, 'resolve6').mockImplementation(nowhere)
    for (const isListening of [true, false]) {
      jest.spyOn(dns, 'resolve4').mockImplementation(nowhere)
      expect(await lookInside(resolve, isListening)).toEqual({ found: [sentence], accepted: 0 })
    }
  })
})

test('a defect of the doctor is no finding, which would quote it', () => {
  const defect = new RangeError('app-secret-canary')
  expect(() => ProbeError.caught(defect)).toThrow(defect)
  const broken = () => {
    throw defect
  }
  const nothing = { status: 200, headers: {}, text: '', json: undefined, hasWarnings: false, duration: 0 }
  expect(() => obstacleIn({ ...nothing, read: broken }, readToken)).toThrow(defect)
  const found = new ProbeError('The connection failed.')
  expect(ProbeError.caught(found)).toBe(found)
})

test('a text may be encoded nineteen times; more often hides something', () => {
  const encoded = (times: number): string => {
    let text = '%61'
    const encode = (_: string, percents: string, digit: string) => `${percents}%${digit.charCodeAt(0).toString(16)}`
    for (let count = 1; count < times; count += 1) text = text.replace(/^(%+)(.)/, encode)
    return text
  }
  const isShown = (text: string): boolean => newExamination().isHarmless(text)
  const most = Array.from({ length: 40 }, (_, count) => count + 1).findLast((times) => isShown(encoded(times)))
  expect(most).toBe(19)
})

/** As a browser navigates there. @returns the status, or the code of the error */
function visit(url: string): Promise<unknown> {
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  return new Promise((resolve) => {
    get(url, { headers, agent: false }, (response) => resolve(response.resume().statusCode)).on('error', (error) =>
      resolve('code' in error ? error.code : error),
    )
  })
}

describe('the address to which a browser returns', () => {
  test.each([
    ['http://localhost:3000/cb', true],
    ['http://127.0.0.1/cb', true],
    ['http://[::1]:3000/cb', true],
    ['HTTP://localhost', true],
    ['http://localhost?a', true],
    ['http://localhost#a', true],
    [undefined, false],
    ['http://app.example/http://localhost/cb', false],
    ['http://127a0.0.1/cb', false],
    ['http://localhost:/cb', false],
    ['http://localhost.example/cb', false],
    ['http://0.0.0.0:3000/cb', false],
    ['http://192.168.0.1/cb', false],
    ['https://localhost/cb', false],
  ])('%s is caught: %p', (url, isCaught) => {
    expect(isCatchable(url)).toBe(isCaught)
  })

  test('is listened to there alone, for its path alone, and not after it has come', async () => {
    const port = await freePort()
    const { callback, close } = await listenForCallback(`http://127.0.0.1:${port}/cb`)
    const elsewhere = connect(port, '127.0.0.2')
    const [error] = await new Promise<unknown[]>((resolve) => {
      elsewhere.on('error', (...args) => resolve(args)).on('connect', (...args: unknown[]) => resolve(args))
    })
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
    const come = (path: string) => visit(`http://127.0.0.1:${port}${path}`)
    expect(await come('/other?auth_key=wrong')).toBe(404)
    expect(await come('/cb')).toBe(404)
    await come('/cb?auth_key=right')
    expect(await callback).toBe(`http://127.0.0.1:${port}/cb?auth_key=right`)
    close()
    expect(await come('/cb?auth_key=late')).toBe('ECONNREFUSED')
  })
})

test('the port is free again after the command', async () => {
  const port = await freePort()
  const baseURL = await serve((_request, response) => refuse(response))
  const redirect = `http://127.0.0.1:${port}/cb`
  const run = runDoctor([baseURL, '--app-id', 'mine', '--login', '--redirect-url', redirect], {
    env: { SOCIAL_CLIENT_SECRET: 'app-secret-canary' },
  })
  while ((await visit(`${redirect}?auth_key=invented`)) !== 200) await new Promise((resolve) => setImmediate(resolve))
  expect((await run).code).toBe(1)
  expect(await visit(redirect)).toBe('ECONNREFUSED')
})

describe('a person at a terminal', () => {
  function terminal() {
    const printed: string[] = []
    const keep = (stream: PassThrough) => {
      stream.on('data', (chunk) => printed.push(String(chunk)))
      return Object.assign(stream, { isTTY: true })
    }
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    return { printed, stdin, stdout: keep(new PassThrough()), stderr: keep(new PassThrough()), env: {} }
  }

  test('types the secret unseen, and cannot bring it back by the arrow keys', async () => {
    const io = terminal()
    const screen = new Screen(io, false)
    const secret = screen.ask('Secret: ', true)
    io.stdin.write('hidden-canary\r')
    expect(await secret).toBe('hidden-canary')
    const answer = screen.ask('Address: ')
    io.stdin.write('\x1b[A')
    io.stdin.write('seen\r')
    expect(await answer).toBe('seen')
    screen.close()
    expect(io.printed.join('')).toContain('seen')
    expect(io.printed.join('')).not.toContain('hidden-canary')
  })

  test('types the secret of the application unseen', async () => {
    const baseURL = await serve((_request, response) => refuse(response))
    const io = terminal()
    const setRawMode = jest.fn()
    Object.assign(io.stdin, { setRawMode })
    io.stderr.on('data', (chunk) => {
      if (String(chunk).includes('Application secret')) setImmediate(() => io.stdin.write('hidden-canary\r'))
      if (String(chunk).includes('Then paste')) setImmediate(() => io.stdin.write('seen-canary\r'))
    })
    await runWith([baseURL, '--app-id', 'mine', '--login'], io)
    // The terminal is given back.
    expect(setRawMode.mock.calls).toStrictEqual([[true], [false]])
    expect(io.printed.join('')).toContain('seen-canary')
    expect(io.printed.join('')).not.toContain('hidden-canary')
  })

  test('without a secret of the application, the doctor reports that a login needs it', async () => {
    const io = terminal()
    io.stderr.on('data', (chunk) => {
      if (String(chunk).includes('Application secret')) setImmediate(() => io.stdin.write('\r'))
    })
    const error = await rejectionOf(runWith(['http://localhost:1/api/v1', '--app-id', 'mine', '--login'], io))
    expect(String(error)).toContain('--login needs the secret')
  })

  /** A provider that refuses a POST as if nothing had been sent, as servers do that read the query alone. @returns its base URL, and what it was asked for */
  async function readingQueriesAlone() {
    const urls: string[] = []
    const baseURL = await serve((request, response) => {
      const { url = '' } = request
      urls.push(url)
      if (url.includes('/oauth?')) return void response.end('<form>')
      const hasQuery = url.includes('auth_key=')
      sendJSON(response, { error: true, message: hasQuery ? 'invalid auth_key' : 'invalid app_id' }, 400)
    })
    return { baseURL, urls }
  }

  test.each([
    ['y', true],
    ['YES', true],
    [' yes ', true],
    ['', false],
    ['no, why?', false],
    ['yesterday', false],
  ])('who answers %j to whether the secret may be sent in a URL: %p', async (typed, isSent) => {
    const { baseURL, urls } = await readingQueriesAlone()
    const io = terminal()
    io.stderr.on('data', (chunk) => {
      if (String(chunk).includes('Then paste'))
        setImmediate(() => io.stdin.write('http://app.example/cb?auth_key=k1234\r'))
      if (String(chunk).includes('[y/N]')) setImmediate(() => io.stdin.write(`${typed}\r`))
    })
    const env = { SOCIAL_CLIENT_SECRET: 'app-secret-canary' }
    await runWith([baseURL, '--app-id', 'mine', '--login'], { ...io, env })
    expect(urls.some((url) => url.includes('app-secret-canary'))).toBe(isSent)
  })

  test.each([
    [['--allow-get'], true],
    [[], false],
  ])(
    'who ends the input instead is not waited for: with the options %j the secret is sent in a URL: %p',
    async (more, isSent) => {
      const { baseURL, urls } = await readingQueriesAlone()
      const io = terminal()
      io.stderr.on('data', (chunk) => {
        if (String(chunk).includes('Then paste'))
          setImmediate(() => io.stdin.end('http://app.example/cb?auth_key=k1234\r'))
      })
      const env = { SOCIAL_CLIENT_SECRET: 'app-secret-canary' }
      await runWith([baseURL, '--app-id', 'mine', '--login', ...more], { ...io, env })
      expect(urls.some((url) => url.includes('app-secret-canary'))).toBe(isSent)
      expect(io.printed.join('').includes('[y/N]')).toBe(!isSent)
    },
  )

  test.each([
    [['--allow-get'], true],
    [[], false],
  ])('who is not there is not asked: with the options %j the secret is sent in a URL: %p', async (more, isSent) => {
    const { baseURL, urls } = await readingQueriesAlone()
    await runDoctor([baseURL, '--app-id', 'mine', '--login', ...more], {
      env: { SOCIAL_CLIENT_SECRET: 'app-secret-canary' },
      input: 'http://app.example/cb?auth_key=k1234\ny\n',
    })
    expect(urls.some((url) => url.includes('app-secret-canary'))).toBe(isSent)
  })

  test.each([
    [new RangeError('app-secret-canary'), 'RangeError'],
    ['app-secret-canary', 'unknown error'],
  ])('an unknown error is named, and not quoted: number %#', async (thrown, name) => {
    const io = terminal()
    const stdout = Object.assign(new PassThrough(), {
      write: () => {
        throw thrown
      },
    })
    const baseURL = await serve((_request, response) => refuse(response))
    const error = await rejectionOf(runWith([baseURL], { ...io, stdout }))
    expect(String(error)).toBe(`Error: The doctor failed: ${name}. Please report it.`)
  })
})
