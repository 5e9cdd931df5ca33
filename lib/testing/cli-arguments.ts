import { readFileSync } from 'node:fs'
import { readCommandLine, UsageError, wholeNumber } from '../command-line'
import { asDeployed, type ProviderBehaviours, type ProviderMode, specification } from './behaviours'
import type { ApplicationInput } from './types'

/** What `--help` prints. */
export const usage = `Usage: passport-social-login provider [options]

Starts a fake provider that speaks the Social Login API, for local development and tests.

Options:
  --port NUMBER         Port to listen on; 0 takes a free one (default: 4400)
  --host ADDRESS        Address to listen on (default: 127.0.0.1)
  --allow-remote        Allow an address beyond loopback: there are no passwords
  --app "NAME=URL"      Register an application with its redirect URL; repeatable
  --app-id ID           The id of that application; else a new one at each start
  --app-secret SECRET   Its secret. Several: in the order of --app
  --name NAME           What its pages call the provider (default: Fake Social)
  --users FILE          The people: a JSON array of records with user_id, user_name ...
  --mode MODE           specification (default), as-deployed, or behaviours: "as-deployed,wrapUser=data,getOnly"
  --mode-file FILE      Behaviours as JSON, such as "doctor --record FILE" writes
  --rate-limit NUMBER   API requests per hour and token (default: 1000)
  --help                Print this

Example:
  passport-social-login provider --port 4400 --app "My app=http://localhost:3000/cb"
`

/** The parsed command line. */
export interface Arguments {
  readonly help: boolean
  readonly port: number
  readonly host: string
  readonly allowRemote: boolean
  readonly applications: readonly ApplicationInput[]
  readonly name: string | undefined
  readonly usersFile: string | undefined
  readonly mode: ProviderMode
  readonly rateLimit: number
}

const optionTypes = {
  port: { type: 'string', default: '4400' },
  host: { type: 'string', default: '127.0.0.1' },
  'allow-remote': { type: 'boolean', default: false },
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

/** @throws UsageError when an argument is unknown or invalid. */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = readCommandLine({ args: [...args], options: optionTypes, strict: true })
  if (values['mode-file'] !== undefined && values.mode !== undefined) {
    throw new UsageError('--mode and --mode-file exclude each other')
  }
  return {
    help: values.help,
    port: wholeNumber('port', values.port, 0, 65_535),
    host: values.host,
    allowRemote: values['allow-remote'],
    applications: applicationsFrom(values.app, values['app-id'], values['app-secret']),
    name: values.name,
    usersFile: values.users,
    mode:
      values['mode-file'] === undefined ? modeFrom(values.mode ?? 'specification') : readModeFile(values['mode-file']),
    rateLimit: wholeNumber('rate-limit', values['rate-limit'], 1, Number.MAX_SAFE_INTEGER),
  }
}

/** The ids and secrets are given in the order of the applications; the last ones may have none. */
function applicationsFrom(apps: string[] = [], ids: string[] = [], secrets: string[] = []): ApplicationInput[] {
  if (Math.max(ids.length, secrets.length) > apps.length) {
    throw new UsageError('--app-id and --app-secret need an --app each')
  }
  return apps.map((text, index) => {
    const [appID, appSecret] = [ids[index], secrets[index]]
    return {
      ...applicationFrom(text),
      ...(appID !== undefined && { appID }),
      ...(appSecret !== undefined && { appSecret }),
    }
  })
}

function applicationFrom(text: string): ApplicationInput {
  const [, name, redirectURL] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || redirectURL === undefined) {
    throw new UsageError(`--app takes "NAME=REDIRECT URL", not "${text}"`)
  }
  return { name, redirectURL }
}

/** The behaviours themselves are checked with all other options. */
function readModeFile(file: string): ProviderMode {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'
    throw new UsageError(`--mode-file ${reason}: ${file}`)
  }
}

function modeFrom(text: string): ProviderMode {
  const behaviours = new Map<string, unknown>(Object.entries(specification))
  for (const part of text.split(',')) {
    const [name = '', value] = part.split('=', 2)
    if (value === undefined && name === 'specification') continue
    if (value === undefined && name === 'as-deployed') merge(behaviours, asDeployed)
    else if (behaviours.has(name)) behaviours.set(name, valueFrom(value))
    else
      throw new UsageError(
        `--mode does not know "${name}"; it knows specification, as-deployed, ${[...behaviours.keys()].join(', ')}`,
      )
  }
  return Object.fromEntries(behaviours)
}

function merge(behaviours: Map<string, unknown>, more: Readonly<ProviderBehaviours>): void {
  for (const [name, value] of Object.entries(more)) behaviours.set(name, value)
}

function valueFrom(text: string | undefined): unknown {
  if (text === undefined || text === 'true') return true
  if (text === 'false') return false
  return text === 'Infinity' || /^\d+$/.test(text) ? Number(text) : text
}
