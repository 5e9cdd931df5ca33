import dns, { promises } from 'node:dns'
import { connect } from 'node:net'
import { SocialLogin } from '../../lib/web'
import { WebBrowser } from '../support/web-browser'

// Run by name-lookup.test.ts, because it may end: looks a name up at a name server, as a naive application or as ours.
const [kind, nameServer = ''] = process.argv.slice(2)
for (const { setServers } of [dns, promises]) setServers([nameServer])
if (kind === 'naive') connectNaively()
else void logIn().then(console.log)

function connectNaively(): void {
  connect({
    host: 'hostile.example',
    port: 443,
    lookup: (hostname, _options, callback) => {
      void promises.resolve4(hostname).then(
        (found) =>
          callback(
            null,
            found.map((address) => ({ address, family: 4 })),
          ),
        (error) => callback(error, []),
      )
    },
  }).on('error', console.log)
}

async function logIn(): Promise<string> {
  const origin = 'https://app.example'
  const callbackURL = `${origin}/callback`
  const community = {
    name: 'hostile',
    baseURL: 'https://hostile.example/v1',
    clientID: 'id',
    clientSecret: 's',
    callbackURL,
  }
  const login = new SocialLogin({
    provider: () => community,
    timeout: 1500,
    keys: ['0123456789abcdef0123456789abcdef'],
  })
  const browser = new WebBrowser(origin)
  await browser.send('/auth', 'same-origin', (request) => login.start(request, { user: null }))
  const back = await browser.send('/callback?auth_key=key', 'cross-site', async (request) => {
    const result = await login.callback(request, { user: null })
    return result.type === 'success' ? new Response() : result.response
  })
  await login.close()
  return back.text()
}
