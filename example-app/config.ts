import { type CommunityConfigs, readCommunities } from './community-config'
import { type Environment, EnvironmentReader } from './environment'
import { cureOf, dataFolderProblem, ownSecret } from './storage/data-folder'

/** The configuration, read from environment variables. `.env.example` explains each of them. */
export interface Config {
  /** A host name or an IP address of this machine. */
  readonly host: string
  readonly port: number
  /** Undefined when a real provider is configured. */
  readonly fakeProviderPorts: readonly [number, number] | undefined
  readonly communities: CommunityConfigs
  /** The first one signs and encrypts; all of them are accepted, so that a secret can be replaced. */
  readonly sessionSecrets: readonly [string, ...string[]]
  readonly databaseURL: string | undefined
  /** The maximum number of connections to Postgres. */
  readonly databasePoolSize: number
  readonly dataDir: string
  /** Express's `trust proxy` setting: the number of proxies in front, or their addresses. */
  readonly trustProxy: number | string[]
  /** How long requests are still accepted after a stop signal, so that load balancers can switch to other processes. */
  readonly drainMs: number
}

/** Reports every problem of the environment at once. The message names variables but never contains a secret. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The environment is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

/** The code of an error from a driver or the system. Their messages may contain an address with a password. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  if (error instanceof Error && 'code' in error && error.code) return String(error.code)
  return error instanceof Error ? error.name : 'unknown error'
}

const FAKE_PROVIDER_PORTS = [4400, 4500] as const

/** @throws ConfigError with every variable that is missing or wrong */
export function readConfig(environment: Environment): Config {
  const reader = new EnvironmentReader(environment)
  const port = reader.port('PORT', 3000)
  const databaseURL = reader.postgresURL('DATABASE_URL')
  const config = {
    host: reader.host('HOST', 'localhost'),
    port,
    fakeProviderPorts: reader.isSet('SOCIAL_BASE_URL') ? undefined : fakeProviderPorts(reader),
    communities: readCommunities(reader, port),
    databaseURL,
    databasePoolSize: poolSizeOf(reader),
    dataDir: reader.text('DATA_DIR', false) ?? 'data',
    trustProxy: reader.trustProxy('TRUST_PROXY'),
    drainMs: reader.seconds('DRAIN_SECONDS', 1.5, 30),
  }
  const secrets = reader.secrets('SESSION_SECRET', databaseURL !== undefined)
  const kept = databaseURL === undefined ? useDataFolder(config.dataDir, reader.problems, secrets) : secrets
  if (kept === undefined || reader.problems.length > 0) throw new ConfigError(reader.problems)
  return { ...config, sessionSecrets: kept }
}

function fakeProviderPorts(reader: EnvironmentReader): [number, number] {
  const [usualFirst, usualSecond] = FAKE_PROVIDER_PORTS
  const first = reader.port('PROVIDER_PORT', usualFirst)
  // With another first port, there may be a second copy of this application, with a second provider of its own.
  return [first, reader.port('PROVIDER2_PORT', first === usualFirst ? usualSecond : 0)]
}

function poolSizeOf(reader: EnvironmentReader): number {
  const value = reader.text('DATABASE_POOL_SIZE', false)
  if (value === undefined) return 10
  const size = /^\d{1,3}$/.test(value) ? Number(value) : 0
  if (size < 1 || size > 100) reader.problems.push('DATABASE_POOL_SIZE must be a number of connections from 1 to 100.')
  return size
}

type Secrets = Config['sessionSecrets']

/** Checks the data folder, which holds the database, and creates a session secret in it when none is configured. */
function useDataFolder(dataDir: string, problems: string[], given: Secrets | undefined): Secrets | undefined {
  const problem = dataFolderProblem(dataDir)
  if (problem !== undefined) problems.push(`DATA_DIR ${problem}`)
  if (problem !== undefined || given !== undefined) return given
  try {
    const secret = ownSecret(dataDir)
    if (secret !== undefined) return [secret]
    problems.push(
      'DATA_DIR holds a session-secret file that is incomplete: remove it, and a new one is made (everybody has to sign in again).',
    )
  } catch (error) {
    problems.push(`DATA_DIR names a folder that cannot be used (${cureOf(error)}).`)
  }
  return undefined
}
