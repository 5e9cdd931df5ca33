import { Pool } from 'undici'

// Of all contenders, with every request: what a browser sends, down to what ours insists on (lib/testing/navigation.ts).
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-GB,en;q=0.9',
  'accept-encoding': 'gzip, deflate, br',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
}

let lastKey = 10_000_000

/** One user's login under way: what the browser holds between the start and the callback. */
class Login {
  cookie = ''
  callback = ''
  #cookies = new Map()

  id = String(++lastKey)
  key = `k${this.id}`

  keepCookies(headers) {
    for (const line of [headers['set-cookie'] ?? []].flat()) {
      const pair = line.split(';', 1)[0]
      this.#cookies.set(pair.split('=', 1)[0], pair)
    }
    this.cookie = Array.from(this.#cookies.values()).join('; ')
  }
}

/** Browsers at an application: each login has its own cookies, the connections are shared. */
export class Browsers {
  #pool
  #contender
  #headers

  constructor(origin, contender, connections) {
    this.#pool = new Pool(origin, { connections, keepAliveTimeout: 100_000, headersTimeout: 0, bodyTimeout: 0 })
    this.#contender = contender
    this.#headers = { ...BROWSER, referer: `${origin}/` }
  }

  /** Follows the link "Sign in", or presses the button, up to the provider's page. */
  async start() {
    const login = new Login()
    const { startPath, callbackPath, keyParameter } = this.#contender
    const post = await this.#startPost(login)
    const { statusCode, headers, body } = await this.#request(startPath, login, 'same-origin', post)
    await body.dump()
    if (!headers.location) throw new Error(`start answered ${statusCode}`)
    login.keepCookies(headers)
    const state = new URL(headers.location, 'http://localhost').searchParams.get('state')
    login.callback = `${callbackPath}?${keyParameter}=${login.key}${state ? `&state=${state}` : ''}`
    return login
  }

  /** Returns from the provider. The answer must show the right user. */
  async callback(login) {
    const { statusCode, body } = await this.#request(login.callback, login, 'cross-site')
    const text = await body.text()
    if (statusCode !== 200 || text !== login.id)
      throw new Error(`callback answered ${statusCode} ${text.slice(0, 300)}`)
  }

  /** Returns from the provider. @returns the status of the answer */
  async tryCallback(login) {
    const { statusCode, body } = await this.#request(login.callback, login, 'cross-site')
    await body.dump()
    return statusCode
  }

  async close() {
    await this.#pool.destroy()
  }

  /** What is posted to the start; nothing where that is a link. */
  async #startPost(login) {
    const { csrfPath, startBody } = this.#contender
    if (startBody) return { type: 'application/json', body: JSON.stringify(startBody) }
    if (!csrfPath) return undefined
    const { headers, body } = await this.#request(csrfPath, login, 'same-origin')
    login.keepCookies(headers)
    const { csrfToken } = await body.json()
    return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams({ csrfToken }).toString() }
  }

  #request(path, { cookie }, fetchSite, post) {
    const headers = { ...this.#headers, 'sec-fetch-site': fetchSite, ...(cookie && { cookie }) }
    if (!post) return this.#pool.request({ method: 'GET', path, headers })
    return this.#pool.request({
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': post.type },
      body: post.body,
    })
  }
}

/** Does `work` for each of the items, at most `concurrency` at a time; resolves with what each gave. */
export async function inParallel(items, concurrency, work) {
  const results = new Array(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const i = next++
      results[i] = await work(items[i], i)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}
