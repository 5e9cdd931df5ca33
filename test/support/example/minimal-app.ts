import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FakeProvider } from '../../../lib/testing'
import { Browser } from '../browser'
import { freePort } from '../free-port'

const MAIN = join(__dirname, '../../../example-app/minimal.js')

/** Starts the small application of the README in its own process, as its reader does. */
export async function startMinimalApp(provider: FakeProvider) {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const callbackURL = `${origin}/auth/social-login/callback`
  const { appID, appSecret } = provider.registerApplication({ name: 'Small application', redirectURL: callbackURL })
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      PORT: String(port),
      SOCIAL_BASE_URL: provider.baseURL,
      SOCIAL_CLIENT_ID: appID,
      SOCIAL_CLIENT_SECRET: appSecret,
      SESSION_SECRET: 'a secret of the test',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const exited = once(child, 'exit')
  const stop = async (): Promise<void> => {
    child.kill()
    await exited
  }
  while (!(await new Browser().request(`${origin}/`).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`the application did not start: ${output}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { origin, callbackURL, appID, output: () => output, stop }
}
