import { readFileSync } from 'node:fs'
import { printHelp, readCommandLine, UsageError, wholeNumber } from '../command-line'
import { asDeployed, type ProviderMode, specification } from './behaviours'
import { isLoopback } from './http/server'
import { FakeProvider } from './provider'
import { Users } from './state/users'
import type { ApplicationInput, FakeProviderOptions, FakeUserInput } from './types'

const usage = `Usage: passport-social-login provider [options]

Starts a fake provider that speaks the Social Login API, for local development
and tests.

Options:
  --port NUMBER         Port to listen on; 0 takes a free one (default: 4400)
  --host ADDRESS        Address to listen on (default: 127.0.0.1)
  --allow-remote        Allow an address beyond loopback: there are no passwords
  --public-origin URL   Scheme, host and port as browsers reach it, where the
                        application uses others
  --app NAME=URL        Register an application by its redirect URL; repeatable
  --app-id ID           The id of that application; else a new one at each start
  --app-secret SECRET   Its secret. Several: in the order of --app
  --name NAME           What its pages call the provider (default: Fake Social)
  --users FILE          The users: a JSON array of records with user_id,
                        user_name ...
  --mode MODE           specification (default), as-deployed, or behaviours:
                        "as-deployed,wrapUser=data,getOnly"
  --mode-file FILE      Behaviours as JSON, as "doctor --record FILE" writes
  --rate-limit NUMBER   API requests per hour and token (default: 1000)
  --help                Print this

Example:
  passport-social-login provider --app "My app=http://localhost:3000/cb"
`

const optionTypes = {
  port: { type: 'string', default: '4400' },
  host: { type: 'string', default: '127.0.0.1' },
  'allow-remote': { type: 'boolean', default: false },
  'public-origin': { type: 'string' },
  app: { type: 'string', multiple: true },
  'app-id': { type: 'string', multiple: true },
  'app-secret': { type: 'string', multiple: true },
  name: { type: 'string' },
  users: { type: 'string' },
  mode: { type: 'string' },
  'mode-file': { type: 'string' },
  'rate-limit': { type: 'string', default: '1000' },
  help: { type: 'boolean', default: false },
} as const

/**
 * `passport-social-login provider`.
 * @throws UsageError for wrong arguments, Error if it cannot listen
 */
export async function runProvider(args: readonly string[]): Promise<void> {
  const { values } = readCommandLine({ args: [...args], options: optionTypes, strict: true })
  if (values.help) return printHelp(usage, process)
  if (!values['allow-remote'] && !isLoopback(values.host)) {
    throw new UsageError(`There are no passwords here: listening on "${values.host}" needs --allow-remote`)
  }
  const options: FakeProviderOptions = {
    port: wholeNumber('port', values.port, 0, 65_535),
    host: values.host,
    allowRemote: values['allow-remote'],
    log: console.log,
    mode: readMode(values.mode, values['mode-file']),
    rateLimit: wholeNumber('rate-limit', values['rate-limit'], 1, Number.MAX_SAFE_INTEGER),
    ...(values['public-origin'] !== undefined && { origin: values['public-origin'] }),
    ...(values.name !== undefined && { name: values.name }),
    ...(values.users !== undefined && { users: readUsers(values.users) }),
  }
  const applications = readApplications(values.app, values['app-id'], values['app-secret'])
  // The options are checked before anything listens.
  const rehearsal = checked(() => new FakeProvider(options))
  for (const application of applications) checked(() => rehearsal.registerApplication(application))
  // The process that started the command may have stopped reading its output.
  process.stdout.on('error', () => {})
  const provider = await started(options)
  for (const application of applications) provider.registerApplication(application)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void provider.stop())
  announce(provider)
}

/** @throws UsageError when the provider refuses a value */
function checked<T>(make: () => T, where = ''): T {
  try {
    return make()
  } catch (error) {
    throw new UsageError(`${where}${error instanceof Error ? error.message : error}`)
  }
}

async function started(options: FakeProviderOptions): Promise<FakeProvider> {
  try {
    return await FakeProvider.start(options)
  } catch (error) {
    const { code = undefined } = error instanceof Error && 'code' in error ? error : {}
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${options.port} of ${options.host} is taken: choose another by --port, or 0 for a free one`)
    if (code === 'EACCES')
      throw new Error(
        `Port ${options.port} may not be listened on by this user: choose another by --port, or 0 for a free one`,
      )
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Error(`${options.host} is no address of this machine: choose another by --host`)
    throw error
  }
}

function announce(provider: FakeProvider): void {
  console.log(`Fake provider: ${provider.origin}
  base URL     ${provider.baseURL}
  developers   ${provider.origin}/developers
  users        ${provider.origin}/users`)
  for (const { name, appID, appSecret, redirectURL } of provider.applications) {
    console.log(`\n${name}\n  app_id       ${appID}\n  app_secret   ${appSecret}\n  redirect URL ${redirectURL}`)
  }
  if (provider.applications.length === 0)
    console.log('\nNo application yet: give --app, or register one in the dashboard.')
}

/** The ids and secrets are given in the order of the applications; the last ones may have none. */
function readApplications(apps: string[] = [], ids: string[] = [], secrets: string[] = []): ApplicationInput[] {
  if (Math.max(ids.length, secrets.length) > apps.length) {
    throw new UsageError('--app-id and --app-secret need an --app each')
  }
  return apps.map((text, index) => {
    const [, name, redirectURL] = /^([^=]+)=(.+)$/.exec(text) ?? []
    if (name === undefined || redirectURL === undefined) {
      throw new UsageError(`--app takes "NAME=REDIRECT URL", not "${text}"`)
    }
    const [appID, appSecret] = [ids[index], secrets[index]]
    return { name, redirectURL, ...(appID !== undefined && { appID }), ...(appSecret !== undefined && { appSecret }) }
  })
}

function readUsers(file: string): FakeUserInput[] {
  const records = readJSON('users', file)
  if (!Array.isArray(records)) throw new UsageError(`${file} must hold an array of users`)
  const rehearsal = new Users()
  for (const [at, record] of records.entries()) checked(() => rehearsal.add(record), `${file}, record ${at + 1}: `)
  return records
}

/** The behaviours of a file are checked with all other options. */
function readMode(text = 'specification', file?: string): ProviderMode {
  if (file !== undefined) {
    if (text !== 'specification') throw new UsageError('--mode and --mode-file exclude each other')
    return readJSON('mode-file', file)
  }
  let behaviours: Record<string, unknown> = { ...specification }
  for (const part of text.split(',')) {
    const [name = '', value] = part.split('=')
    if (part === 'as-deployed') behaviours = { ...behaviours, ...asDeployed }
    else if (Object.hasOwn(specification, name)) behaviours[name] = valueFrom(value)
    else if (part !== 'specification') {
      const known = ['specification', 'as-deployed', ...Object.keys(specification)]
      throw new UsageError(`--mode does not know "${name}"; it knows ${known.join(', ')}`)
    }
  }
  return behaviours
}

function valueFrom(text = 'true'): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return text === 'Infinity' || /^\d+$/.test(text) ? Number(text) : text
}

function readJSON(option: string, file: string) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new UsageError(`--${option} ${error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}: ${file}`)
  }
}
