import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { UsageError } from '../../lib/command-line'
import { runDoctor as run } from '../../lib/doctor/command'

export const CLI = join(__dirname, '../../lib/cli.js')

/** How the command ended. */
export interface Ended {
  readonly code: number | string | null | undefined
  readonly stdout: string
  readonly stderr: string
}

/** What the command is given besides its arguments. */
export interface CommandInput {
  readonly env?: Readonly<Record<string, string>>
  /** Lines for the prompts; then the input ends. */
  readonly input?: string
}

/** Runs the command in this process. */
export async function runDoctor(args: readonly string[], { env = {}, input = '' }: CommandInput = {}): Promise<Ended> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdin.end(input)
  const printed = (stream: PassThrough): string => String(stream.read() ?? '')
  try {
    const code = await run(args, { stdin, stdout, stderr, env })
    return { code, stdout: printed(stdout), stderr: printed(stderr) }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return { code: 2, stdout: printed(stdout), stderr: printed(stderr) + error.message }
  }
}

/** Runs `passport-social-login` in its own process, without the settings of the environment. */
export function runProcess(args: readonly string[], { env = {}, input = '' }: CommandInput = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const { PATH } = process.env
    const options = { timeout: 60_000, env: { ...(PATH !== undefined && { PATH }), ...env } }
    const child = execFile(process.execPath, [CLI, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    )
    child.stdin?.on('error', () => {}).end(input)
  })
}

export function runDoctorProcess(args: readonly string[], input?: CommandInput): Promise<Ended> {
  return runProcess(['doctor', ...args], input)
}

/** A report as one line of words: without the breaks of 80 columns. */
export function unwrapped(report: string): string {
  return report.replace(/\n {9}/g, ' ')
}
