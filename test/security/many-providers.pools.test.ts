import { SocialLoginClient } from '../../lib'
import { SocialLogin } from '../../lib/web'
import { RawProvider } from '../support/raw-provider'
import { WebBrowser } from '../support/web-browser'

const STARTS = ['one', 'two', 'one', 'two', 'one', 'two']
const origin = 'https://app.example'

let providers: Map<string, RawProvider>
beforeEach(async () => {
  providers = new Map([
    ['one', await RawProvider.start()],
    ['two', await RawProvider.start()],
  ])
})
afterEach(async () => {
  for (const provider of providers.values()) await provider.stop()
})

const accepted = (): number[] => Array.from(providers.values(), (provider) => provider.accepted)

function communityOf(name = '') {
  const { baseURL = '' } = providers.get(name) ?? {}
  return { name, baseURL, clientID: 'id', clientSecret: 'secret' }
}

/** Connections are accepted in their order: when this one was, all before it were. */
async function connectTo(community: string): Promise<void> {
  const { name: _, ...options } = communityOf(community)
  const client = new SocialLoginClient(options)
  await client.exchangeAuthKey('key')
  await client.close()
}

const newLogin = (): SocialLogin =>
  new SocialLogin({
    callbackURL: `${origin}/:provider/callback`,
    provider: ({ url }) => communityOf(new URL(url).pathname.split('/')[1]),
    keys: ['0123456789abcdef0123456789abcdef'],
    allowPrivateAddresses: true,
    maxPools: 1,
  })

const startAt = (login: SocialLogin, browser: WebBrowser, community: string): Promise<Response> =>
  browser.send(`/${community}`, 'same-origin', (request) => login.start(request, { user: null }))

describe('somebody who starts at more communities in turn than pools are kept', () => {
  test('makes a naive application open a connection each time', async () => {
    for (const community of STARTS) await connectTo(community)
    expect(accepted()).toStrictEqual([3, 3])
  })

  test('makes ours open no more than one', async () => {
    const login = newLogin()
    for (const community of STARTS) await startAt(login, new WebBrowser(origin), community)
    await Promise.all([connectTo('one'), connectTo('two')])
    expect(accepted()).toStrictEqual([2, 1])
    await login.close()
  })
})
