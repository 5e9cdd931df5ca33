import { readFileSync } from 'node:fs'
import { createServer as createHTTPServer, type RequestListener } from 'node:http'
import { createServer as createHTTPSServer } from 'node:https'
import { join } from 'node:path'
import { UsageError } from '../../../lib/command-line'
import { readAppArguments, readDoctorArguments } from '../../../lib/doctor/arguments'
import { makeCertificates } from '../../support/certificates'
import { useDeployments } from '../../support/deployments'
import { runDoctor, unwrapped } from '../../support/doctor-command'
import { freePort } from '../../support/free-port'
import { setEnvironment, TunnelProxy } from '../../support/tunnel-proxy'

// `doctor --app`: its command line, what it prints, and applications that are reached in other ways than usual.

const { deploy, listening } = useDeployments()
const certificates = makeCertificates()
const APP = 'https://app.example/auth'

describe('the command line', () => {
  test('has what was typed, and nothing of the environment', () => {
    const environment = { SOCIAL_CLIENT_ID: 'other', SOCIAL_CALLBACK_URL: 'https://other.example/cb' }
    expect(readAppArguments(['--app', APP], environment)).toMatchObject({
      app: new URL(APP),
      redirectURL: undefined,
      appID: undefined,
      baseURL: undefined,
      quick: false,
      timeout: 20_000,
    })
    const all = ['--app', APP, 'https://social.example/api/v1', '--app-id', '7', '--quick', '--timeout', '3']
    expect(readAppArguments([...all, '--redirect-url', `${APP}/callback`], environment)).toMatchObject({
      redirectURL: `${APP}/callback`,
      appID: '7',
      baseURL: new URL('https://social.example/api/v1'),
      quick: true,
      timeout: 3000,
    })
    expect([readAppArguments(['--app', APP, '--help'], {}), readAppArguments([], {})]).toStrictEqual([
      undefined,
      undefined,
    ])
  })

  const ADDRESS = '--app must be the http(s) address at which a login starts'
  test.each<[args: string[], message: string]>([
    [['--app', '/auth'], ADDRESS],
    [['--app', 'ftp://app.example/auth'], ADDRESS],
    [['--app', `${APP}#top`], ADDRESS],
    [['--app', 'https://ann@app.example/auth'], ADDRESS],
    [['--app', APP, 'https://a.example/v1', 'https://b.example/v1'], ADDRESS],
    [['--app', APP, '--redirect-url', '/callback'], '--redirect-url must be an absolute http(s) address'],
    [['--app', APP, '--login'], '--app takes no option for a login at the provider'],
    [['--app', APP, '--record', 'x.json'], '--app takes no option for a login at the provider'],
    [['--app', APP, '--timeout', '121'], '--timeout takes a whole number from 1 to 120, not "121"'],
  ])('%j is refused', (args, message) => {
    expect(() => readAppArguments(args, {})).toThrow(new UsageError(message))
  })

  test('--quick is for --app', () => {
    expect(() => readDoctorArguments(['https://social.example/v1', '--quick'], {})).toThrow('--quick is for --app')
  })
})

test('the documentation shows what is printed', async () => {
  const page = readFileSync(join(__dirname, '../../../../docs/doctor.md'), 'utf8')
  const [, shown = ''] = /```text\n\$ .*\n([\s\S]*?)\n```/.exec(page) ?? []
  const { origin, application } = await deploy({})
  const { code, stdout } = await runDoctor(['--app', `${origin}/auth`])
  const printed = unwrapped(stdout)
    .replaceAll(`${origin}/auth`, 'https://app.example/auth/social-login')
    .replace(/http:\S+\/api\/oauth/, 'https://social.example/api/oauth')
    .replace(application.appID, 'my-app')
  expect([code, printed.trim()]).toStrictEqual([0, unwrapped(shown)])
})

test('with --json the report is one document, and the exit code says whether something is broken', async () => {
  const { origin } = await deploy({})
  const { code, stdout } = await runDoctor(['--app', `${origin}/nowhere`, '--json'])
  const message = expect.stringContaining('status 404')
  expect([code, JSON.parse(stdout)]).toStrictEqual([
    1,
    { version: 1, broken: true, findings: [{ level: 'broken', code: 'start_not_found', check: 'Start', message }] },
  ])
})

test('the requests say who asks', async () => {
  const names = new Set<string | undefined>()
  const { origin } = await deploy({
    before: (app) =>
      void app.use((req, _res, next) => {
        names.add(req.get('user-agent'))
        next()
      }),
  })
  await runDoctor(['--app', `${origin}/auth`])
  expect([...names]).toStrictEqual([expect.stringMatching(/^passport-social-login\/\S+ \(doctor\)$/)])
})

test('where nothing listens, it is not reached', async () => {
  const { code, stdout } = await runDoctor(['--app', `http://localhost:${await freePort()}/auth`, '--timeout', '1'])
  expect([code, stdout]).toStrictEqual([1, expect.stringContaining('[app_unreachable]')])
})

test('a certificate that has expired is reported as one', async () => {
  const server = createHTTPSServer(certificates.expired)
  const { code, stdout } = await runDoctor(['--app', `https://localhost:${await listening(server)}/auth`])
  expect([code, stdout]).toStrictEqual([1, expect.stringContaining('[app_certificate]')])
})

describe('at a host of the Internet, which a proxy of the environment reaches', () => {
  /** `other.example`, by http and by https. @returns the reports, and the hosts that were asked for */
  async function examine(byHTTP: RequestListener, byHTTPS: RequestListener, more: string[] = []) {
    const plain = await listening(createHTTPServer(byHTTP))
    const secure = await listening(createHTTPSServer(certificates.wrongHost, byHTTPS))
    const proxy = await TunnelProxy.start((asked) => (asked.endsWith(':443') ? secure : plain))
    const env = { http_proxy: proxy.url, https_proxy: proxy.url }
    const restore = setEnvironment(env)
    const { stdout } = await runDoctor(['--app', 'http://other.example/auth', ...more], { env })
    restore()
    await proxy.stop()
    return { report: unwrapped(stdout), hosts: [...new Set(proxy.asked)] }
  }

  const redirect =
    (location: string): RequestListener =>
    (_request, response) =>
      void response.writeHead(308, { location }).end()
  const start: RequestListener = (_request, response) => {
    const location = 'https://social.example/api/oauth?app_id=7'
    response.writeHead(302, { location, 'social-login': 'start', 'cache-control': 'no-store' }).end()
  }

  test('a redirect to https is followed, and the callback looked for by https, too', async () => {
    const { report, hosts } = await examine(redirect('https://other.example/auth'), start, [
      '--redirect-url',
      'http://other.example/auth/callback',
    ])
    expect(hosts).toStrictEqual(['other.example:80', 'other.example:443'])
    expect(report).toContain('good     Start: It redirects to the login page of the application id 7 at')
    expect(report).toContain('[callback_plain_http]')
    expect(report).toContain('[callback_path]')
  })

  test.each(['https://www.other.example/auth', 'https://other.example:8443/auth'])(
    'a redirect to %s is not',
    async (location) => {
      const { report, hosts } = await examine(redirect(location), start)
      expect([hosts, report]).toStrictEqual([['other.example:80'], expect.stringContaining('[app_plain_http]')])
    },
  )

  test('one that stays at plain http is examined no further', async () => {
    const { report, hosts } = await examine(start, start)
    expect([hosts, report]).toStrictEqual([['other.example:80'], expect.stringContaining('[app_plain_http]')])
    expect(report).toContain('1 check: 0 good, 1 differs, 0 broken.')
  })
})
