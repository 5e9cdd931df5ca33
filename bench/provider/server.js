// The provider: fixed answers, and a count of what each login asked for. Nothing here does more than it must, because
// it shares its core with the load.
import { createServer } from 'node:http'
import { createServer as createTLSServer } from 'node:https'
import { serveCommands } from '../app/commands.js'
import { createDelayProxy } from './delay-proxy.js'

// With this header given, Node leaves out its own `Keep-Alive: timeout=...`: as nginx does by default.
const SILENT_KEEP_ALIVE = { Connection: 'keep-alive' }

/** One address of the provider, for one contender: so that its connections are counted alone. */
class Listener {
  connections = 0
  /** Requests received per login, as [exchanges, profiles]. */
  logins = new Map()
  /** Whether no request gets an answer. */
  hanging = false

  async listen({ tls, keepAliveSeconds = 75, announced = true, roundTripMs = 0 }) {
    this.headers = { 'Content-Type': 'application/json', ...(!announced && SILENT_KEEP_ALIVE) }
    this.server = tls ? createTLSServer(tls) : createServer()
    this.server.keepAliveTimeout = keepAliveSeconds * 1000
    this.server.on('request', (req, res) => this.#answer(req, res))
    const port = await listen(this.server)
    if (!roundTripMs) {
      this.server.on('connection', () => this.connections++)
      return port
    }
    this.proxy = createDelayProxy(port, roundTripMs, () => this.connections++)
    return await listen(this.proxy)
  }

  close() {
    this.server.close()
    this.server.closeAllConnections()
    this.proxy?.close()
  }

  #answer(req, res) {
    if (req.method === 'POST') {
      let body = ''
      req.setEncoding('latin1')
      req.on('data', (chunk) => {
        body += chunk
      })
      req.on('end', () => {
        const key = /(?:^|&)(?:auth_key|code)=(k\d+)/.exec(body)?.[1]
        this.#count(key, 0)
        this.#send(res, key && `{"access_token":"t-${key}","token_type":"Bearer"}`)
      })
    } else {
      const key = /t-(k\d+)/.exec(req.headers.authorization ?? req.url)?.[1]
      this.#count(key, 1)
      this.#send(res, key && profileOf(key.slice(1)))
    }
  }

  #count(key, kind) {
    const counts = this.logins.get(key) ?? [0, 0]
    counts[kind]++
    this.logins.set(key, counts)
  }

  #send(res, body) {
    if (this.hanging) return
    const text = body ?? '{"error":"unknown"}'
    res.writeHead(body ? 200 : 400, { ...this.headers, 'Content-Length': text.length })
    res.end(text)
  }
}

// `sub` is what openid-client looks for; the rest is the specification's user, with the length of real ones.
function profileOf(id) {
  return `{"sub":"${id}","user_id":"${id}","user_name":"ada.lovelace","user_email":"ada.lovelace@example.org","user_firstname":"Ada","user_lastname":"Lovelace","user_gender":"female","user_birthdate":"1990-12-10","user_picture":"https://social.example/content/uploads/photos/ada.jpg","user_cover":"https://social.example/content/uploads/photos/ada-cover.jpg","user_verified":"1"}`
}

function listen(server) {
  return new Promise((resolve) => server.listen(0, 'localhost', 4096, () => resolve(server.address().port)))
}

const listeners = new Map()

serveCommands({
  async open(options) {
    const listener = new Listener()
    const port = await listener.listen(options)
    listeners.set(port, listener)
    return port
  },
  reset(port) {
    const listener = listeners.get(port)
    listener.connections = 0
    listener.logins.clear()
  },
  hang({ port, hanging }) {
    listeners.get(port).hanging = hanging
  },
  /** How many logins there were, and how many of them had not exactly one exchange and one profile. */
  counts(port) {
    const { connections, logins } = listeners.get(port)
    const wrong = [...logins.values()].filter(([exchanges, profiles]) => exchanges !== 1 || profiles !== 1).length
    return { connections, logins: logins.size, wrong }
  },
  close(port) {
    listeners.get(port).close()
    listeners.delete(port)
  },
})
