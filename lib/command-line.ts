import { type ParseArgsConfig, parseArgs, styleText } from 'node:util'

/** A mistake on the command line, explained to the user. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** @throws UsageError when an argument is unknown, or lacks its value */
export function readCommandLine<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** Where a command prints; `process` is one. */
interface Output {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean | undefined }
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Whether what is printed is in colours: on a terminal, unless its user wants none. */
export function hasColours({ stdout, env }: Output): boolean {
  return stdout.isTTY === true && !env['NO_COLOR']
}

export type Style = 'bold' | 'green' | 'yellow' | 'red'

/** The text as a terminal shows it in that style. */
export function styled(style: Style, text: string): string {
  // Whether there is a terminal is asked before, of the stream that is printed to.
  return styleText(style, text, { validateStream: false })
}

export function printHelp(help: string, output: Output): void {
  const coloured = help
    .replace(/^(?:Usage:|\w+:$)/gm, (heading) => styled('bold', heading))
    .replace(/^ {2}(?:--)?[a-z-]+(?: [A-Z=]+)?(?= {2})/gm, (name) => styled('green', name))
  output.stdout.write(`${hasColours(output) ? coloured : help}\n`)
}

/** @throws UsageError when the text is not a whole number from `least` to `most` */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${option} takes a whole number from ${least} to ${most}, not "${text}"`)
}
