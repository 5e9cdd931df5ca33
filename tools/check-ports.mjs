// Reports a port of `npm start` that is taken, before the packages are installed, which can take a minute. The application
// reports what else is wrong with its variables.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

if (existsSync('.env')) process.loadEnvFile()
// What is set already stays as it is, so this file has the defaults.
process.loadEnvFile(join(import.meta.dirname, '../.env.example'))

const { HOST, PORT, PROVIDER_PORT, PROVIDER2_PORT, SOCIAL_BASE_URL } = process.env
const LOOPBACK = ['127.0.0.1', '::1']
const listeners = [['PORT', Number(PORT), HOST === 'localhost' ? LOOPBACK : [HOST]]]
if (!SOCIAL_BASE_URL) {
  const first = Number(PROVIDER_PORT)
  const second = PROVIDER2_PORT === '' && first !== 0 ? first + 100 : Number(PROVIDER2_PORT)
  listeners.push(['PROVIDER_PORT', first, ['127.0.0.1']], ['PROVIDER2_PORT', second, ['127.0.0.1']])
}

for (const [variable, port, hosts] of listeners) {
  const taken = await Promise.all(hosts.map((host) => isTaken(port, host)))
  if (!taken.includes(true)) continue
  console.error(`${variable} cannot be used: port ${port} is taken. For other ports, run:`)
  console.error('  PORT=3001 PROVIDER_PORT=4401 npm start')
  process.exitCode = 1
}

async function isTaken(port, host) {
  try {
    const server = createServer().listen(port, host)
    await once(server, 'listening')
    server.close()
    return false
  } catch (error) {
    return error.code === 'EADDRINUSE'
  }
}
