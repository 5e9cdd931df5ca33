import { Agent } from 'undici'
import { SocialLoginClient } from '../../../../lib'

/** Prints how an exchange with the server of a base URL ended: of ours, or of a naive client. */
async function main([kind, baseURL = '']: string[]): Promise<void> {
  console.log(await (kind === 'naive' ? exchangeNaively(baseURL) : exchange(baseURL)))
}

async function exchange(baseURL: string): Promise<string> {
  const client = new SocialLoginClient({ baseURL, clientID: 'id', clientSecret: 'secret', timeout: 2000 })
  client.preconnect()
  try {
    return (await client.exchangeAuthKey('key')).access_token
  } catch (error) {
    return String(error)
  } finally {
    await client.close()
  }
}

async function exchangeNaively(baseURL: string): Promise<string> {
  const { origin } = new URL(baseURL)
  const body = 'app_secret=secret&auth_key=key'
  await using agent = new ClosingAgent()
  const response = await agent.request({ origin, path: '/api/authorize', method: 'POST', body })
  return response.body.text()
}

class ClosingAgent extends Agent {
  async [Symbol.asyncDispose](): Promise<void> {
    await this.destroy()
  }
}

void main(process.argv.slice(2))
