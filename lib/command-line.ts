import { type ParseArgsConfig, parseArgs } from 'node:util'

/** A mistake on the command line, explained to the user. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Reads the arguments of a command.
 *
 * @throws UsageError when one is unknown, or lacks its value
 */
export function readCommandLine<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** @throws UsageError when the text is not a whole number from `least` to `most` */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${option} takes a whole number from ${least} to ${most}, not "${text}"`)
}
