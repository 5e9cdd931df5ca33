import { UsageError } from '../command-line'
import { isLoopback } from './address'
import { type Arguments, readArguments, usage } from './cli-arguments'
import { FakeProvider } from './provider'
import type { FakeProviderOptions } from './types'
import { readUsersFile } from './users-file'

function optionsFrom({ name, port, host, allowRemote, mode, rateLimit, usersFile }: Arguments): FakeProviderOptions {
  const users = usersFile === undefined ? {} : { users: readUsersFile(usersFile) }
  return { port, host, allowRemote, mode, rateLimit, ...users, ...(name !== undefined && { name }) }
}

/** Validates all arguments before anything listens. */
function checkedOptions(given: Arguments): FakeProviderOptions {
  if (!given.allowRemote && !isLoopback(given.host)) {
    throw new UsageError(`There are no passwords here: listening on "${given.host}" needs --allow-remote`)
  }
  try {
    const options = optionsFrom(given)
    const rehearsal = new FakeProvider(options)
    for (const application of given.applications) rehearsal.registerApplication(application)
    return options
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function announce(provider: FakeProvider): void {
  console.log(`Fake provider: ${provider.origin}
  base URL     ${provider.baseURL}
  developers   ${provider.origin}/developers
  people       ${provider.origin}/users`)
  for (const { name, appID, appSecret, redirectURL } of provider.applications) {
    console.log(`\n${name}\n  app_id       ${appID}\n  app_secret   ${appSecret}\n  redirect URL ${redirectURL}`)
  }
  if (provider.applications.length === 0)
    console.log('\nNo application yet: give --app, or register one in the dashboard.')
}

/**
 * `passport-social-login provider`.
 *
 * @throws UsageError for wrong arguments, Error if it cannot listen
 */
export async function runProvider(args: readonly string[]): Promise<void> {
  const given = readArguments(args)
  if (given.help) return console.log(usage)
  const provider = await FakeProvider.start(checkedOptions(given))
  for (const application of given.applications) provider.registerApplication(application)
  const stop = () => {
    provider.stop().catch((error: unknown) => {
      console.error(error)
      process.exitCode = 1
    })
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  announce(provider)
}
