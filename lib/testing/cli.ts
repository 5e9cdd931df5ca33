#!/usr/bin/env node
import { isLoopback } from './address'
import { type Arguments, readArguments, UsageError, usage } from './cli-arguments'
import { FakeProvider } from './provider'
import type { FakeProviderOptions } from './types'
import { readUsersFile } from './users-file'

function optionsFrom({ port, host, allowRemote, mode, rateLimit, usersFile }: Arguments): FakeProviderOptions {
  const users = usersFile === undefined ? {} : { users: readUsersFile(usersFile) }
  return { port, host, allowRemote, mode, rateLimit, ...users }
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

async function main(): Promise<void> {
  const given = readArguments(process.argv.slice(2))
  if (given.help) return console.log(usage)
  const provider = await FakeProvider.start(checkedOptions(given))
  for (const application of given.applications) provider.registerApplication(application)
  const stop = () => {
    provider.stop().catch(fail)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
  announce(provider)
}

function fail(error: unknown): void {
  console.error(error instanceof Error ? error.message : String(error))
  if (error instanceof UsageError) console.error('Try --help.')
  process.exitCode = error instanceof UsageError ? 2 : 1
}

main().catch(fail)
