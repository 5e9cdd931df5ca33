import { accessSync, constants } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseURL } from '../client/url'
import { readCommandLine, UsageError, wholeNumber } from '../command-line'
import { MAX_TIMEOUT_MS } from '../limits'

/** What `--help` prints. */
export const usage = `Usage: passport-social-login doctor URL [options]
       passport-social-login doctor --app URL [options]

Examines a provider that speaks the Social Login API, and prints the options for
it. URL is the base URL of its API, such as https://social.example/api/v1.
Without --login it sends about eight requests with invented values, and no
secret.

With --app it examines an application as it is deployed, from outside, without a
secret or a login. Never run it on someone else's input.

Options:
  --app-id ID          The application id. Default: SOCIAL_CLIENT_ID
  --redirect-url URL   The registered redirect URL. Default: SOCIAL_CALLBACK_URL
  --login              Log in once: prints the address to open in a browser,
                       and takes the one to which the browser returned. With a
                       redirect URL of this machine it is caught, else pasted.
                       The secret is read from SOCIAL_CLIENT_SECRET or a prompt
  --allow-get          With --login: the secret may be sent in a URL, which old
                       servers demand, if a POST is refused
  --spend-twice        With --login: ask for a second exchange of the same key
  --record FILE        Write how the provider behaves, as a mode of the fake one
  --json               Print one JSON document instead of text
  --timeout SECONDS    For each request, 1 to 120 (default: 10; with --app 20)
  --app URL            Where a login starts; compared is what is typed beside it
  --quick              With --app: no key is exchanged, as in a pipeline
  --help               Print this

Exit code: 0 when all is good or only differs, 1 when something is broken, 2 for
wrong arguments.

Example:
  passport-social-login doctor https://social.example/api/v1 --app-id 1 --login
`

/** What was typed: the environment of this machine may be that of development. */
export type AppArguments = NonNullable<ReturnType<typeof readAppArguments>>

/** The parsed command line. */
export type DoctorArguments = NonNullable<ReturnType<typeof readDoctorArguments>>

type Environment = Readonly<Record<string, string | undefined>>

const optionTypes = {
  'app-id': { type: 'string' },
  'redirect-url': { type: 'string' },
  login: { type: 'boolean', default: false },
  'allow-get': { type: 'boolean', default: false },
  'spend-twice': { type: 'boolean', default: false },
  record: { type: 'string' },
  json: { type: 'boolean', default: false },
  timeout: { type: 'string' },
  app: { type: 'string' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/**
 * @returns undefined for `--help`
 * @throws UsageError when an argument is unknown, missing or invalid
 */
export function readDoctorArguments(args: readonly string[], environment: Environment) {
  const { values: all, positionals } = parse(args, environment)
  const { app: _, quick, ...values } = all
  if (values.help) return undefined
  if (quick) throw new UsageError('--quick is for --app')
  const [url, ...others] = positionals
  if (url === undefined) throw new UsageError('Missing the base URL, such as https://social.example/api/v1')
  if (others.length > 0) throw new UsageError('One base URL at a time, please')
  const appID = values['app-id'] ?? environment['SOCIAL_CLIENT_ID']
  if (values.login && !appID) throw new UsageError('--login needs --app-id, or SOCIAL_CLIENT_ID')
  if (values.record !== undefined) refuseReadOnlyFolder(values.record)
  return {
    ...values,
    baseURL: readBaseURL(url),
    appID: appID || undefined,
    redirectURL: readRedirectURL(values['redirect-url'] ?? environment['SOCIAL_CALLBACK_URL']),
    /** Milliseconds. */
    timeout: wholeNumber('timeout', values.timeout ?? '10', 1, MAX_TIMEOUT_MS / 1000) * 1000,
  }
}

/** @returns undefined without `--app`, or for `--help` @throws UsageError as above */
export function readAppArguments(args: readonly string[], environment: Environment) {
  const { values, positionals } = parse(args, environment)
  if (values.app === undefined || values.help) return undefined
  if (values.login || values['allow-get'] || values['spend-twice'] || values.record)
    throw new UsageError('--app takes no option for a login at the provider')
  const app = parseURL(values.app)
  const [typed, ...others] = positionals
  if (!app || !/^https?:/.test(app.protocol) || app.hash || app.username || others.length > 0)
    throw new UsageError('--app must be the http(s) address at which a login starts')
  return {
    ...values,
    app,
    redirectURL: readRedirectURL(values['redirect-url']),
    appID: values['app-id'],
    baseURL: typed === undefined ? undefined : readBaseURL(typed),
    timeout: wholeNumber('timeout', values.timeout ?? '20', 1, MAX_TIMEOUT_MS / 1000) * 1000,
  }
}

function parse(args: readonly string[], environment: Environment) {
  refuseSecrets(args, environment)
  return readCommandLine({ args: [...args], options: optionTypes, allowPositionals: true } as const)
}

/** Arguments are visible to everyone on the machine, and remain in the shell's history. */
function refuseSecrets(args: readonly string[], environment: Environment): void {
  const secret = environment['SOCIAL_CLIENT_SECRET']
  const isSecret = (arg: string): boolean =>
    /^--?[a-z-]*secret/i.test(arg) ||
    /[?&](app_secret|auth_key|access_token)=/.test(arg) ||
    /\/\/[^/]*:[^/]*@/.test(arg)
  if (args.some((arg) => isSecret(arg) || (secret && arg.includes(secret))))
    throw new UsageError(
      'A secret is never an argument: others on this machine could read it. Set SOCIAL_CLIENT_SECRET, or wait for the prompt',
    )
}

function readBaseURL(text: string): URL {
  const url = parseURL(text)
  if (!url || !/^https?:/.test(url.protocol) || url.search || url.hash || url.username)
    throw new UsageError('The base URL must be an http(s) address such as https://social.example/api/v1')
  url.pathname = url.pathname.replace(/\/+$/, '')
  if (!url.pathname.endsWith('/v1'))
    throw new UsageError(`The base URL must end in /v1: mostly it is ${url.origin}/api/v1`)
  return url
}

function readRedirectURL(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const url = parseURL(text)
  if (!url || !/^https?:/.test(url.protocol)) throw new UsageError('--redirect-url must be an absolute http(s) address')
  return text
}

/** A file that cannot be written is refused before the login, whose record would be lost. */
function refuseReadOnlyFolder(file: string): void {
  try {
    accessSync(dirname(resolve(file)), constants.W_OK)
  } catch {
    throw new UsageError('--record names a file in a folder that cannot be written to')
  }
}
