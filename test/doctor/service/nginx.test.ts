import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MemoryStore } from 'express-session'
import { makeCertificates } from '../../support/certificates'
import { type Deployment, useDeployments } from '../../support/deployments'
import { freePort } from '../../support/free-port'

// Behind nginx, with the settings of docs/operations.md, and with one of them left out.

const isInstalled = process.env['REQUIRE_NGINX'] === '1' || spawnSync('nginx', ['-v']).status === 0
const page = readFileSync(join(__dirname, '../../../../docs/operations.md'), 'utf8')
const [, documented = ''] = /^```nginx\n([\s\S]*?)^```$/m.exec(page) ?? []
const { deploy, examineAt } = useDeployments()
const certificates = makeCertificates()
const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
// Its processes may run as another user.
chmodSync(folder, 0o755)
let stop = async (): Promise<void> => {}
afterEach(() => stop())
afterAll(() => rmSync(folder, { recursive: true }))

type Change = (settings: string) => string

/** @param change what differs from the settings of the page */
async function startNginx(port: number, upstreams: readonly string[], change: Change): Promise<void> {
  const { key, cert } = certificates.good
  writeFileSync(join(folder, 'key.pem'), key)
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'index.html'), '<!doctype html><div id="root"></div>')
  const servers = upstreams.map((origin) => `server ${new URL(origin).host};`).join('\n')
  const settings = change(documented)
    .replace(/(?: +server 10\..*\n)+/, `${servers}\n`)
    .replace(
      'listen 443 ssl;',
      `listen 127.0.0.1:${port} ssl;\nssl_certificate cert.pem;\nssl_certificate_key key.pem;`,
    )
    .replace('server_name app.example;', 'server_name localhost;')
    .replaceAll('/var/log/nginx/', '')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`)
  const whole = `daemon off; pid nginx.pid; events {}\nhttp {\n${paths.join('\n')}\n${settings}\n}\n`
  writeFileSync(join(folder, 'nginx.conf'), whole)
  const nginx = spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', 'nginx.conf'], { stdio: 'inherit' })
  const ended = once(nginx, 'exit')
  stop = async () => {
    nginx.kill()
    await ended
  }
  while (!(await isListening(port))) if (nginx.exitCode !== null) throw new Error('nginx has ended')
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => setTimeout(resolve, 20, false))
    socket.on('connect', () => socket.destroy())
  })
}

/** What the doctor finds of an application in two processes behind nginx, besides what is good. */
async function foundBehind(change: Change, deployment: (origin: string) => Deployment = () => ({})): Promise<string[]> {
  const port = await freePort()
  const origin = `https://localhost:${port}`
  const shared: Deployment = {
    trustProxy: 1,
    session: { store: new MemoryStore(), cookie: { secure: true } },
    strategy: { callbackURL: `${origin}/auth/callback` },
    ...deployment(origin),
  }
  const one = await deploy(shared)
  const { appID: clientID, appSecret: clientSecret } = one.application
  const other = await deploy({ ...shared, strategy: { ...shared.strategy, clientID, clientSecret } })
  await startNginx(port, [one.origin, other.origin], change)
  const { told } = await examineAt(origin)
  return told.filter((line) => !line.startsWith('good'))
}

const inMemory = (origin: string): Deployment => ({
  session: { cookie: { secure: true } },
  strategy: { callbackURL: `${origin}/auth/callback` },
})
const byPath = (): Deployment => ({
  session: { store: new MemoryStore(), cookie: { secure: true } },
  strategy: { callbackURL: '/auth/callback' },
})
const without =
  (...settings: string[]): Change =>
  (text) =>
    text.replace(new RegExp(`^.*(?:${settings.join('|')}).*\n`, 'gm'), '')
const adding =
  (setting: string): Change =>
  (text) =>
    text.replace('proxy_pass http://app;', `$& ${setting}`)

const withSinglePage: Change = (text) =>
  text.replace('location / {', 'location / { root .; try_files $uri /index.html; }\n  location /api {')

const onlyIfInstalled = isInstalled ? test.each : test.skip.each

const rows: [what: string, found: string[], Change, ((origin: string) => Deployment)?][] = [
  ['as the page has it', [], (text) => text],
  ['with sessions in two memories', ['broken processes_apart'], (text) => text, inMemory],
  ['without X-Forwarded-Proto', ['broken cookie_missing'], without('X-Forwarded-Proto')],
  ['without Host, and with a path as callbackURL', ['differs host_rewritten'], without('Host'), byPath],
  ['without Host, and with the whole callbackURL', [], without('Host')],
  ['that keeps Set-Cookie', ['broken cookie_missing'], adding('proxy_hide_header Set-Cookie;')],
  ['that drops Cookie', ['broken login_lost'], adding('proxy_set_header Cookie "";')],
  ['that changes the path of cookies', ['broken cookie_path'], adding('proxy_cookie_path / /app;')],
  ['that drops Referer', ['differs referer_removed'], adding('proxy_set_header Referer "";')],
  ['that drops the mark', ['differs mark_missing'], adding('proxy_hide_header Social-Login;')],
  [
    'that adds a Referrer-Policy',
    ['differs referrer_policy'],
    adding('add_header Referrer-Policy same-origin always;'),
  ],
  ['with a wrong port', ['broken start_gateway'], (text) => text.replace('http://app;', 'http://127.0.0.1:1;')],
  ['with a single page', ['broken start_single_page'], withSinglePage],
]

onlyIfInstalled(rows.map(([what, ...row]) => ({ what, row })))(
  'nginx $what',
  async ({ row: [found, change, deployment] }) => {
    expect(await foundBehind(change, deployment)).toEqual(found)
  },
)
