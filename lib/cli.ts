#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printHelp, UsageError } from './command-line'

const commands = `Commands:
  provider   Starts a fake provider, for local development and tests
  doctor     Examines a real provider, or with --app an application as deployed

passport-social-login COMMAND --help prints the options of a command.
`

const usage = `Usage: passport-social-login COMMAND [options]

${commands}
Options:
  --version  Prints the version of the package
  --help     Prints this text
`

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  return version
}

async function main(command: string | undefined, args: readonly string[]): Promise<void> {
  // Each command loads only what it needs.
  if (command === 'provider') await (await import('./testing/command.js')).runProvider(args)
  else if (command === 'doctor') process.exitCode = await (await import('./doctor/command.js')).runDoctor(args, process)
  else if (command === '--help') printHelp(usage, process)
  else if (command === '--version') console.log(readVersion())
  else throw new UsageError(command === undefined ? 'Missing command.' : `Unknown command "${command}".`)
}

const [command, ...args] = process.argv.slice(2)

main(command, args).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  if (error instanceof UsageError)
    console.error(command === 'provider' || command === 'doctor' ? 'Try --help.' : `\n${commands}`)
  process.exitCode = error instanceof UsageError ? 2 : 1
})
