import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { inspect } from 'node:util'

/**
 * Finds secrets in any encoding that logs, headers and pages use.
 *
 * @returns the sinks that contain one, as `sink: encoding`
 */
export function findSecrets(secrets: readonly string[], sinks: Readonly<Record<string, unknown>>): string[] {
  const found: string[] = []
  for (const [name, sink] of Object.entries(sinks)) {
    const text = textOf(sink)
    for (const secret of secrets) {
      for (const [encoding, needle] of Object.entries(encodings(secret))) {
        if (text.includes(needle)) found.push(`${name}: ${encoding} of ${secret}`)
      }
    }
  }
  return found
}

function textOf(sink: unknown): string {
  if (typeof sink === 'string') return sink
  const everything = inspect(sink, { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null })
  return [everything, String(sink), sink instanceof Error ? sink.stack : '', JSON.stringify(sink)].join('\n')
}

/** A secret in the encodings that logs, headers and pages use. */
export function encodings(secret: string): Record<string, string> {
  const bytes = Buffer.from(secret)
  return {
    plain: secret,
    'second half': secret.slice(Math.floor(secret.length / 2)),
    'URL encoding': encodeURIComponent(secret),
    base64: bytes.toString('base64').replace(/=+$/, ''),
    base64url: bytes.toString('base64url'),
    hex: bytes.toString('hex'),
    reversed: Array.from(secret).reverse().join(''),
  }
}

/** Everything that the process writes while `work` runs. */
export async function captureOutput<T>(work: () => Promise<T>): Promise<{ result: T; output: string }> {
  const chunks: string[] = []
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => {
      chunks.push(String(chunk))
      return true
    }),
  )
  const collectWarning = (warning: Error): void => {
    chunks.push(textOf(warning))
  }
  process.on('warning', collectWarning)
  try {
    return { result: await work(), output: chunks.join('') }
  } finally {
    process.off('warning', collectWarning)
    for (const spy of spies) spy.mockRestore()
  }
}

/** Snapshots of everything published on this package's channels while `work` runs. */
export async function captureEvents<T>(work: () => Promise<T>): Promise<{ result: T; events: string[] }> {
  const events: string[] = []
  const collect = (message: unknown): void => void events.push(textOf(message))
  for (const channel of CHANNELS) subscribe(channel, collect)
  try {
    return { result: await work(), events }
  } finally {
    for (const channel of CHANNELS) unsubscribe(channel, collect)
  }
}

const CHANNELS = ['start', 'callback', 'exchange', 'profile', 'verify'].flatMap((phase) =>
  ['start', 'end', 'asyncStart', 'asyncEnd', 'error'].map((event) => `tracing:passport-social-login:${phase}:${event}`),
)
