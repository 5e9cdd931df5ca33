import { writeSync } from 'node:fs'
import { request } from 'undici'
import { SocialLoginClient, SocialLoginError } from '../../lib'

/** The output of the memory measurement. */
export interface MemoryReport {
  /** The peak of bytes that one call held, excluding garbage; of several, that of the whole process, including it. */
  readonly held: number
  /** The outcome of the call. */
  readonly outcome: string
}

/** A typical client: limits the size, and keeps the chunks until the end. */
async function naiveExchange(baseURL: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { body } = await request(`${baseURL.replace(/v1$/, '')}authorize`, { method: 'POST', body: '', signal })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > 64 * 1024) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const TIMEOUT_MS = Number(process.env['TIMEOUT_MS'] ?? 20_000)
const SAMPLE_MS = 10
// Enough to prove the attack.
const ENOUGH_BYTES = 10_000_000

/** Runs so many exchanges at once with `ours` or `naive` and prints the memory that it held. Needs `--expose-gc`. */
async function main([kind, baseURL = '', count = '1']: string[]): Promise<void> {
  const client = new SocialLoginClient({ baseURL, clientID: 'a', clientSecret: 'b', timeout: TIMEOUT_MS })
  const exchange = (): Promise<unknown> => (kind === 'ours' ? client.exchangeAuthKey('key') : naiveExchange(baseURL))
  await exchange()
  const isOne = count === '1'
  const before = isOne ? bytesInUse() : 0
  let held = 0
  const report = (outcome: string): never => {
    const memory: MemoryReport = { held, outcome }
    writeSync(1, JSON.stringify(memory))
    process.exit()
  }
  const sample = (): void => {
    held = Math.max(held, isOne ? bytesInUse() - before : process.memoryUsage.rss())
    if (kind === 'naive' && held > ENOUGH_BYTES) report('still under way')
  }
  setInterval(sample, SAMPLE_MS)
  // Keeps the result, as an application keeps a profile.
  let answer: unknown
  const outcomeOf = (): Promise<string> =>
    exchange().then((given) => {
      answer = given
      return 'success'
    }, nameOf)
  const outcomes = await Promise.all(Array.from({ length: Number(count) }, outcomeOf))
  const outcome = [...new Set(outcomes)].join()
  sample()
  if (answer === null) throw new Error('an answer is no null')
  report(outcome)
}

function bytesInUse(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const nameOf = (error: unknown): string => (error instanceof SocialLoginError ? error.code : String(error))

void main(process.argv.slice(2))
