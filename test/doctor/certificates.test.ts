import { createServer as createHTTPSServer } from 'node:https'
import { text } from 'node:stream/consumers'
import { makeCertificates } from '../support/certificates'
import { sendJSON, useServers } from '../support/doctor'
import { runDoctorProcess, unwrapped } from '../support/doctor-command'

// In a process of its own: Node reads the real environment.

const SECRET = 'app-secret-canary-5c1e9a7f'
const KEY = 'auth-key-canary-77aa0b1c'
const { listening } = useServers()

test('the doctor sends nothing to a server without a good certificate, even with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
  const received: string[] = []
  const server = createHTTPSServer(makeCertificates().selfSigned, async (request, response) => {
    received.push(`${request.url} ${await text(request)}`)
    if (request.url?.includes('/oauth?')) response.end('<form>')
    else sendJSON(response, { error: true }, 401)
  })
  const baseURL = `https://localhost:${await listening(server)}/api/v1`
  const { code, stdout } = await runDoctorProcess([baseURL, '--app-id', 'mine', '--login'], {
    env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', SOCIAL_CLIENT_SECRET: SECRET },
    input: `http://app.example/cb?auth_key=${KEY}\n`,
  })
  expect([code, unwrapped(stdout)]).toEqual([1, expect.stringContaining('The certificate is not trusted')])
  expect(received).toEqual([])
})
