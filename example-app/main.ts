import { FakeProvider } from 'passport-social-login/testing'
import { ConfigError, readConfig } from './config'
import { createLogger } from './logger'
import { startServer } from './server'

async function main(): Promise<void> {
  const config = readConfig(process.env)
  const { fakeProviderPort: port } = config
  const fake = port === undefined ? undefined : await FakeProvider.start({ port })
  const server = await startServer(config, fake, createLogger())
  console.log(`Example application: ${server.url}`)
  if (fake) console.log(`Fake provider: ${fake.origin}`)
  const stop = async (): Promise<void> => {
    await server.stop()
    await fake?.stop()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop().catch(fail))
}

function fail(error: unknown): void {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exitCode = 1
}

main().catch(fail)
