import { SocialLoginClient, Strategy } from 'passport-social-login'

/**
 * Asks a provider for a token, in an environment that the test chooses.
 *
 * @returns the outcome
 */
export function outcomeOfRequest(env: NodeJS.ProcessEnv): Promise<string> {
  return ask(env).then(() => 'ok', String)
}

async function ask({ BASE_URL = '', MANY }: NodeJS.ProcessEnv): Promise<void> {
  if (MANY !== undefined) {
    const strategy = new Strategy({ provider: () => undefined }, () => false)
    return strategy.close()
  }
  const secret = 'secret-canary-91c2'
  const required = { baseURL: BASE_URL, clientID: 'app', clientSecret: secret }
  const client = new SocialLoginClient({ ...required, allowInsecureHTTP: true, timeout: 1500 })
  try {
    await client.exchangeAuthKey('key')
  } finally {
    await client.close()
  }
}

if (require.main === module) void outcomeOfRequest(process.env).then(console.log)
