import { SocialLoginClient } from '../../../../lib'

/** Prints why an exchange with the server at a port failed. */
async function main([port]: string[]): Promise<void> {
  const baseURL = `https://localhost:${port}/api/v1`
  const client = new SocialLoginClient({ baseURL, clientID: 'id', clientSecret: 'secret', timeout: 2000 })
  client.preconnect()
  await client.exchangeAuthKey('key').catch((error: unknown) => console.log(String(error)))
  await client.close()
}

void main(process.argv.slice(2))
