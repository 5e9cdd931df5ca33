import { execFile } from 'node:child_process'
import { join } from 'node:path'

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

/** Runs `passport-social-login doctor`, without the environment's own settings. */
export function runDoctor(args: readonly string[], { env = {}, input = '' }: CommandInput = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const { PATH } = process.env
    const options = { timeout: 60_000, env: { ...(PATH !== undefined && { PATH }), ...env } }
    const child = execFile(process.execPath, [CLI, 'doctor', ...args], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    )
    child.stdin?.on('error', () => {}).end(input)
  })
}

/** A report as one line of words: without the breaks of 80 columns. */
export function unwrapped(report: string): string {
  return report.replace(/\n {9}/g, ' ')
}
