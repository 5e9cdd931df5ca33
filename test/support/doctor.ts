import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { connect, type Server, type Socket } from 'node:net'
import { USER_AGENT } from '../../lib/client/options'
import { type DoctorInput, examine } from '../../lib/doctor/doctor'
import { Examination, type Observer } from '../../lib/doctor/examination'
import { Probe } from '../../lib/doctor/probe'
import { optionLines } from '../../lib/doctor/report'
import type { Application, FakeProvider } from '../../lib/testing'
import { port } from './listen'
import { post, signInAs } from './provider-http'

/** For tests of the doctor: servers of a file's tests, on free ports of this machine. Each is stopped after its test, with its connections. */
export function useServers() {
  const servers: Server[] = []
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => void sockets.add(socket.on('error', () => {}))
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
  })

  /** @returns the port */
  function listening(server: Server, host = 'localhost'): Promise<number> {
    servers.push(server.on('connection', keep))
    return new Promise((resolve) => server.listen(0, host, () => resolve(port(server))))
  }

  /** @returns the base URL of a provider */
  async function serve(listener: RequestListener, host = 'localhost'): Promise<string> {
    return `http://${host}:${await listening(createServer(listener), host)}/api/v1`
  }

  /** A proxy that forwards each connection to the same provider. @param received called with the bytes of clients */
  async function proxyTo(baseURL: string, received: (bytes: string) => void = () => {}): Promise<string> {
    const server = createServer().on('connect', (_request, client: Socket) => {
      const provider = connect(Number(new URL(baseURL).port), new URL(baseURL).hostname, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        client.pipe(provider).pipe(client)
      })
      keep(provider)
      client.on('data', (chunk) => received(String(chunk)))
    })
    return `http://localhost:${await listening(server)}`
  }

  return { listening, serve, proxyTo }
}

/** Answers with JSON. */
export function sendJSON(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** A listener that answers each request with the same page. */
export function page(
  status: number,
  headers: Record<string, string> = {},
  body = '<!doctype html><h1>Hello</h1>',
): RequestListener {
  return (_request, response) => response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body)
}

const SILENT: Observer = { progress: () => {}, finding: () => {} }

/** An examination that has found nothing yet, of a provider at the origin. */
export function newExamination(origin = 'http://localhost', observer = SILENT): Examination {
  return new Examination(new Probe('test', 5000, origin), observer)
}

/** The findings, one line for each. */
export function findingsOf({ findings }: Examination): string[] {
  return findings.map(({ level, check, message }) => `${level} ${check}: ${message}`)
}

/** Examines a fake provider, with a login of a user, who approves it. */
export async function examineProvider(
  provider: FakeProvider,
  application: Application,
  {
    userID = '1',
    allowGet = true,
    baseURL = provider.baseURL,
    userAgent = 'doctor of a test',
    timeout = 5000,
    /** Called when the user has approved. */
    arrange = (): void => {},
  } = {},
): Promise<Examination> {
  const { appID, appSecret, redirectURL } = application
  const driver = {
    logIn: async () => {
      const callback = await approve(provider, application, userID)
      arrange()
      return callback
    },
    mayExchangeByGet: async () => allowGet,
  }
  const login = { appID, appSecret, spendTwice: false, driver }
  const request = { userAgent, timeout, hasProxy: false }
  return examine({ baseURL: new URL(baseURL), appID, redirectURL, login, ...request }, SILENT)
}

/**
 * Examines a provider in this process, without a login, unless one is given.
 *
 * @returns whether it is broken, and one line for each finding and for the options to paste
 */
export async function diagnose(
  baseURL: string,
  more: Partial<Pick<DoctorInput, 'appID' | 'timeout' | 'hasProxy' | 'login'>> = {},
): Promise<{ readonly isBroken: boolean; readonly report: string }> {
  const input = { baseURL: new URL(baseURL), userAgent: USER_AGENT, timeout: 10_000, hasProxy: false, ...more }
  const examination = await examine(input, SILENT)
  const options = examination.options.baseURL === undefined ? [] : [optionLines(examination)]
  return { isBroken: examination.isBroken, report: [...findingsOf(examination), ...options].join('\n') }
}

/** Signs in at the provider and approves the application. @returns where the browser is sent */
export async function approve(
  provider: Pick<FakeProvider, 'origin'>,
  { appID }: Pick<Application, 'appID'>,
  userID: string,
): Promise<string> {
  const cookie = await signInAs(provider, userID)
  const { headers } = await post(`${provider.origin}/approval`, { app_id: appID, decision: 'approve' }, { cookie })
  return headers.get('location') ?? ''
}
