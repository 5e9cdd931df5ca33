import { FakeProvider } from 'passport-social-login/testing'
import { type Config, ConfigError, readConfig } from './config'
import { createLogger } from './logger'
import { startServer } from './server'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const fake = await startFakeProvider(config)
  const server = await startServer(config, fake, createLogger())
  console.log(`Example application: ${server.url}`)
  if (fake) console.log(`Fake provider: ${fake.origin}`)
  const stop = async (): Promise<void> => {
    await server.stop()
    await fake?.stop()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop().catch(fail))
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

function fail(error: unknown): void {
  console.error(error instanceof ConfigError ? error.message : error)
  // What has been started must not keep a process alive that does not serve.
  process.exit(1)
}

main().catch(fail)
