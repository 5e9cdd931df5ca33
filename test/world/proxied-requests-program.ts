import { SocialLoginClient, Strategy } from 'passport-social-login'

// Asks a provider for a token, in a process whose environment the test chooses. Prints the outcome.
const { BASE_URL = '', MANY } = process.env
const options = {
  baseURL: BASE_URL,
  clientID: 'app',
  clientSecret: 'secret-canary-91c2',
  allowInsecureHTTP: true,
  timeout: 1500,
}

async function main(): Promise<void> {
  if (MANY !== undefined) {
    const strategy = new Strategy({ provider: () => undefined }, () => false)
    return strategy.close()
  }
  const client = new SocialLoginClient(options)
  try {
    await client.exchangeAuthKey('key')
  } finally {
    await client.close()
  }
}

main().then(
  () => console.log('ok'),
  (error: unknown) => console.log(String(error)),
)
