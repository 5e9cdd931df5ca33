import { FakeProvider } from 'passport-social-login/testing'
import { type Config, ConfigError, readConfig, reasonOf } from './config'
import { createLogger } from './logger'
import { type RunningServer, startServer } from './server'
import { onStopSignal } from './stop-signals'

const logger = createLogger()
let running: { readonly server: RunningServer; readonly fake: FakeProvider | undefined } | undefined

async function main(): Promise<void> {
  // Before anything that takes time. Until it serves, there is nothing to wait for: migrations are all or nothing.
  onStopSignal(stop, logger)
  const config = readConfig(process.env)
  const fake = await startFakeProvider(config)
  const server = await startServer(config, fake, logger)
  running = { server, fake }
  console.log(`Example application: ${server.url}`)
  if (fake) console.log(`Fake provider: ${fake.origin}`)
}

async function stop(): Promise<void> {
  try {
    await running?.server.stop()
    await running?.fake?.stop()
    process.exit(0)
  } catch (error) {
    const reason = error instanceof Error ? error.message : reasonOf(error)
    logger.fatal({ reason }, 'stopped without waiting any longer')
    process.exit(1)
  }
}

async function startFakeProvider({ fakeProviderPort: port }: Config): Promise<FakeProvider | undefined> {
  if (port === undefined) return undefined
  try {
    return await FakeProvider.start({ port })
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error'
    throw new ConfigError([`PROVIDER_PORT cannot be used: ${reason}`])
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error)
  // What has been started must not keep a process alive that does not serve.
  process.exit(1)
})
