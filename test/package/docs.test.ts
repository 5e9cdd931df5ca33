import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import express from 'express'
import { pinoHttp } from 'pino-http'
import { Strategy } from '../../lib'
import { sentences } from '../../lib/doctor/app/findings'
import { usage as doctorUsage } from '../../lib/doctor/arguments'
import { CHECKS } from '../../lib/doctor/findings'
import { STRATEGY_OPTIONS } from '../../lib/passport/options'
import { asDeployed, specification } from '../../lib/testing'
import { Browser } from '../support/browser'
import { listen } from '../support/listen'
import { useLogins } from '../support/logins'
import { client, errorHandling, requestLogging, startRecorded } from './docs/guides'

const root = join(__dirname, '../../..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const pages = [
  'README.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

const logins = useLogins()

/** The blocks of code of one language on a page. */
function blocks(page: string, language: string): string[] {
  const code = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, 'gm')
  return Array.from(read(page).matchAll(code), ([, body = '']) => body)
}

/** The ids that a page has, and those that GitHub makes of its headings. */
function anchorsOf(page: string): string[] {
  const text = read(page)
  const headings = Array.from(text.matchAll(/^#+ (.*)$/gm), ([, heading = '']) => heading)
  const ofHeadings = headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
  return [...ofHeadings, ...Array.from(text.matchAll(/<a id="(.+?)">/g), ([, id = '']) => id)]
}

describe('the documentation', () => {
  const minimal = read('example-app/minimal.ts').trimEnd()
  const declarations = /^declare [\s\S]*?^}\n\n/m.exec(minimal)?.[0] ?? 'none'

  test('has no code but what is compiled or run by the tests, and a small application that is the typed one without types', () => {
    const tool = join(root, 'tools/snippets.mjs')
    const unused = execFileSync(process.execPath, [tool, '--unused'], { encoding: 'utf8' })
    expect(unused).toBe('\n')
    expect(read('docs/files/app.mjs').trimEnd()).toBe(
      minimal
        .replace(declarations, '')
        .replace(', { type ErrorRequestHandler }', '')
        .replace(/: (Express.User|ErrorRequestHandler)/g, ''),
    )
  })

  test('signs nobody in by a name or an e-mail address', () => {
    const signIns = pages
      .flatMap((page) => [...blocks(page, 'js'), ...blocks(page, 'ts')])
      .flatMap((block) => block.match(/\b(?:sessionOf|signIn)\(.*\)/g) ?? [])
    expect(signIns.length).toBeGreaterThan(3)
    for (const signIn of signIns) expect(signIn).not.toMatch(/name|email/i)
  })

  test('has each page in the list of docs/README.md, to which the README links', () => {
    const list = read('docs/README.md')
    expect(list.match(/^## .*$/gm)).toStrictEqual(['## Start', '## Guides', '## Reference', '## Background'])
    const listed = Array.from(list.matchAll(/\]\(([^)#]+\.md)[)#]/g), ([, link = '']) => join('docs', link))
    const others = pages.filter((page) => page !== 'docs/README.md')
    expect([...new Set(listed)].sort()).toStrictEqual([...others, 'CHANGELOG.md'].sort())
    expect(read('README.md')).toContain('](docs/README.md)')
  })

  test('says of each folder of test/ what it is for', () => {
    const listed = Array.from(read('test/README.md').matchAll(/^\| `(\w[\w-]*)\/` \|/gm), ([, name = '']) => name)
    const folders = readdirSync(join(root, 'test'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(listed.sort()).toEqual(folders.map(({ name }) => name).sort())
  })

  test('justifies exactly the runtime dependencies', () => {
    const [, table = ''] = /^## Dependencies\n([\s\S]*?)^## /m.exec(read('CONTRIBUTING.md')) ?? []
    const rows = Array.from(table.matchAll(/^\| `([^`]+)` \|/gm), ([, name = '']) => name)
    const { dependencies } = JSON.parse(read('package.json'))
    expect(rows.sort()).toEqual(Object.keys(dependencies).sort())
  })

  test('lists each consumer with the runtimes that it runs on, and their versions', () => {
    const folder = 'test/package/consumers'
    const manifests = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
      /^[\w-]+\/package\.json$/.test(file),
    )
    const consumers = manifests.map((file) => `${dirname(file)}: ${JSON.parse(read(join(folder, file))).only ?? 'all'}`)
    const page = read('docs/guides/frameworks.md')
    const listed = Array.from(page.matchAll(/^\| (all|Node|Bun|Deno) \| (.*) \|$/gm)).flatMap(
      ([, runtimes = '', names = '']) =>
        Array.from(names.matchAll(/(?:^|, )`([\w-]+)`/g), ([, name]) => `${name}: ${runtimes.toLowerCase()}`),
    )
    expect(listed.sort()).toEqual(consumers.sort())
    const runner = read(join(folder, 'runtimes.mjs'))
    const version = (name: string): string => new RegExp(`^const ${name} = '(.+)'$`, 'm').exec(runner)?.[1] ?? 'none'
    expect(page).toContain(`Bun ${version('BUN')}, Deno ${version('DENO')}`)
  })

  test('lists every option of the doctor', () => {
    const options = Array.from(doctorUsage.matchAll(/^ {2}(--[a-z-]+)/gm), ([, option = '']) => option)
    expect(options.length).toBeGreaterThan(7)
    const text = read('docs/connecting.md') + read('docs/doctor.md')
    const rows = Array.from(text.matchAll(/^\| `(--[a-z-]+)` \|/gm), ([, option = '']) => option)
    expect(rows.sort()).toEqual(options.sort())
  })

  test('explains every code of the doctor once', () => {
    const rows = read('docs/doctor.md').match(/^\| `.*?\|/gm) ?? []
    const codes = rows.flatMap((row) =>
      Array.from(row.matchAll(/`([a-z\d]+(?:_[a-z\d]+)+)`/g), ([, code = '']) => code),
    )
    const ofApplications = Array.from(sentences(), ([, , code]) => code)
    expect(codes.sort()).toStrictEqual([...Object.keys(CHECKS), ...ofApplications].sort())
  })

  test('names only variables of the example that .env.example explains', () => {
    const names = Array.from(
      read('example-app/OPERATIONS.md').matchAll(/`([A-Z]+_[A-Z_\d]+)/g),
      ([, name = '']) => name,
    )
    expect(names.length).toBeGreaterThan(4)
    const explained = read('.env.example')
    const ofNode = ['NODE_DEBUG', 'NODE_EXTRA_CA_CERTS']
    for (const name of names) if (!ofNode.includes(name)) expect(explained).toMatch(new RegExp(`^${name}=`, 'm'))
  })

  test('lists every behaviour of the fake provider, and marks those that are true as deployed', () => {
    const sections = read('docs/fake-provider.md').match(/^\| Behaviour \|([\s\S]*?)\n\n/gm) ?? []
    const section = sections.map((table) => table.slice(table.indexOf('\n'))).join('')
    const cells = Array.from(section.matchAll(/^\| (`[^|]*) \|/gm), ([, cell = '']) => cell)
    const listed = [...new Set(cells.flatMap((cell) => cell.split(', ')))]
    const marked = Object.entries(asDeployed).map(([name, value]) => `\`${name}\`${value === true ? ' *' : ''}`)
    expect(listed.sort()).toEqual(marked.sort())
    expect(Object.values(specification)).not.toContain(true)
  })

  test.each([
    ['Provider', 'login/providers/options.ts', 'docs/options.md'],
    ['RequestOptions', 'login/providers/options.ts', 'docs/web.md'],
    ['RequestOptions', 'login/providers/options.ts', 'docs/options.md'],
    ['CookieStoreOptions', 'login/pending-login/stores/sealed-cookie.ts', 'docs/options.md'],
    ['PendingLoginStoreCheck', 'testing/pending-login-store/deployment.ts', 'docs/stores.md'],
  ])('lists every option of %s', (name, file, page) => {
    const [, body = ''] = new RegExp(`interface ${name}\\b[^{]*{([\\s\\S]*?)^}`, 'm').exec(read(`lib/${file}`)) ?? []
    const options = Array.from(body.matchAll(/^ {2}readonly (\w+)\??:/gm), ([, option = '']) => option)
    expect(options.length).toBeGreaterThan(0)
    const text = read(page)
    for (const option of options) expect(text).toContain(`\`${option}\``)
  })

  test('has an anchor for each option and each method of the strategy, and no anchor twice on a page', () => {
    const methods = Object.getOwnPropertyNames(Strategy.prototype).filter((name) => name !== 'constructor')
    const perCall = ['returnTo', 'state', 'callbackURL'].map((name) => `authenticate-${name}`)
    const named = [...Object.keys(STRATEGY_OPTIONS), ...methods, ...perCall]
    const anchors = named.map((name) => name.toLowerCase()) // like those of headings
    expect(anchorsOf('docs/options.md')).toEqual(expect.arrayContaining(anchors))
    for (const page of pages) expect([page, ...new Set(anchorsOf(page))]).toStrictEqual([page, ...anchorsOf(page)])
  })

  test.each([...pages, 'CHANGELOG.md', 'CONTRIBUTING.md'])('%s links only to headings and files that exist', (page) => {
    const links = Array.from(read(page).matchAll(/\]\((?!https?:)([^)]+)\)/g), ([, link = '']) => link)
    for (const link of links) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      expect([link, existsSync(join(root, target))]).toStrictEqual([link, true])
      if (anchor !== undefined) expect([link, anchorsOf(target).includes(anchor)]).toStrictEqual([link, true])
    }
  })
})

test('the example of the client reads a profile', async () => {
  const { provider } = logins
  const { appID, appSecret } = provider.registerApplication({ name: 'Client', redirectURL: 'http://localhost/cb' })
  const authKey = provider.issueAuthKey({ appID, userID: '1' })
  expect(await client(provider.baseURL, appID, appSecret, authKey)).toMatchObject({ user_id: '1', user_name: 'ada' })
})

test('the example of an error handler answers errors of this package and passes others on', async () => {
  const app = express()
  app.get('/other', () => {
    throw Object.assign(new Error('mine'), { status: 418 })
  })
  errorHandling(app)
  await using listening = await listen(app)
  const answer = await new Browser().request(`${listening.origin}/other`)
  expect(answer.status).toBe(418)
})

test('the example of request logging writes method, path and status, and neither key nor cookie', async () => {
  const lines = new PassThrough({ encoding: 'utf8' })
  const app = express()
  requestLogging(app, (options) => pinoHttp(options, lines))
  app.use((_req, res) => void res.sendStatus(204))
  await using listening = await listen(app)
  const headers = { cookie: 'session=canary', referer: `${listening.origin}/?auth_key=canary` }
  await new Browser().request(`${listening.origin}/callback?auth_key=canary`, { headers })
  const [line] = await once(lines, 'data')
  expect(JSON.parse(line)).toMatchObject({ req: { method: 'GET', path: '/callback' }, res: { status: 204 } })
  expect(line).not.toContain('canary')
})

test('the example of a recorded mode starts a provider with its behaviours', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recorded-'))
  const file = join(folder, 'site.json')
  writeFileSync(file, '{"withoutUserMe":true}')
  const provider = await startRecorded(file)
  expect(provider.behaviours.withoutUserMe).toBe(true)
  await provider.stop()
  rmSync(folder, { recursive: true })
})

test('the application to copy is the small application of the example, without its types', () => {
  const typed = read('example-app/minimal.ts')
  const plain = typed
    .replace(/^declare [\s\S]*?\n}\n/gm, '')
    .replaceAll(/, { type ErrorRequestHandler }|: (ErrorRequestHandler|Express\.User)\b/g, '')
    .replace(/\n{3,}/g, '\n\n')
  expect(read('docs/files/app.mjs')).toBe(plain)
})
