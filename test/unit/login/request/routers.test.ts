import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  classifyRequest,
  fromApp,
  fromProvider,
  type Headers,
  incoming,
  policy,
  verdictOf,
} from '../../../support/incoming'
import { ROUTER_REQUESTS, SCRIPT_HEADERS } from '../../../support/router-requests'

const FETCH = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
const targets: readonly string[] = JSON.parse(
  readFileSync(join(__dirname, '../../../../../test/fixtures/open-redirects.json'), 'utf8'),
)

/** Every address in the answer to a router that requests this target. */
function addressesIn(originalUrl: string, headers: Headers, method: string): string[] {
  const read = classifyRequest(incoming('/', { ...FETCH, ...headers }, { originalUrl, method }), policy)
  if (read.type !== 'refused' || !read.response)
    throw new Error(`not answered in the words of a router: ${originalUrl}`)
  const { headers: answered, body } = read.response
  const { Location, 'HX-Redirect': htmx, 'X-Inertia-Location': inertia } = answered
  const refreshed = /url=([^"]*)"/.exec(body)?.[1]
  return [Location, htmx, inertia, refreshed].filter((address) => address !== undefined)
}

test.each(ROUTER_REQUESTS)('no target leads a person of $router to another origin', ({ headers }) => {
  const found = targets.flatMap((target) =>
    ['GET', 'POST'].flatMap((method) => addressesIn(target, headers, method).map((address) => [target, address])),
  )
  const foreign = found.filter(([, address = '']) => {
    const isOwn = new URL(address, 'https://app.example/x/y').origin === 'https://app.example'
    return !isOwn || !/^\/(?![/\\])/.test(address) || /[\s"<>]/.test(address)
  })
  expect(foreign).toStrictEqual([])
})

test('the answer is about the path of the request alone, whatever its headers say', () => {
  const lies = { 'hx-current-url': 'https://evil.example/', 'x-forwarded-host': 'evil.example', origin: 'null' }
  for (const { headers } of ROUTER_REQUESTS) {
    for (const method of ['GET', 'POST']) {
      const honest = classifyRequest(incoming('/login', { ...FETCH, ...headers }, { method }), policy)
      const lying = { ...FETCH, ...headers, ...lies, host: 'evil.example', referer: 'https://evil.example/' }
      expect(classifyRequest(incoming('/login', lying, { method }), policy)).toEqual(honest)
    }
  }
})

test.each(ROUTER_REQUESTS)('$router is answered only where a login starts, by GET or POST', ({ headers }) => {
  const read = (target: string, method: string) =>
    classifyRequest(incoming(target, { ...FETCH, ...headers }, { method }), policy)
  for (const method of ['GET', 'POST']) expect(read('/login', method)).toHaveProperty('response')
  for (const method of ['HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const refused = { type: 'refused', code: 'method_not_allowed', phase: 'start' }
    expect(read('/login', method)).toEqual(refused)
  }
  for (const method of ['GET', 'POST', 'DELETE']) {
    const callback = read('/auth/callback?auth_key=K', method)
    expect(callback).toMatchObject({ type: 'refused', phase: 'callback' })
    expect(callback).not.toHaveProperty('response')
  }
})

const sites = [undefined, 'none', 'same-origin', 'same-site', 'cross-site']
const kinds = [
  { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'empty' },
  { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
  { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
]
const referers = [undefined, 'https://app.example/x', 'https://social.example/', 'https://evil.example/']

test.each(SCRIPT_HEADERS)('%s: %s allows nothing that is not allowed without it', (name, value) => {
  const more: unknown[] = []
  for (const site of sites)
    for (const kind of kinds)
      for (const referer of referers)
        for (const accept of ['text/html', '*/*'])
          for (const purpose of [undefined, 'prefetch'])
            for (const target of ['/login', '/auth/callback?auth_key=K']) {
              const asked = { ...(site && { 'sec-fetch-site': site, ...kind }), accept }
              const headers = { ...asked, ...(referer && { referer }), ...(purpose && { 'sec-purpose': purpose }) }
              const without = verdictOf(classifyRequest(incoming(target, headers), policy))
              const marked = verdictOf(classifyRequest(incoming(target, { ...headers, [name]: value }), policy))
              if (marked !== without && /^(start |callback )/.test(marked)) more.push({ headers, target, marked })
            }
  expect(more).toStrictEqual([])
})

test.each([
  ['/auth', 'browser: reloadDocument (React Router), data-sveltekit-reload, external (Nuxt)'],
  ['/auth/x.data?_routes=x', 'browser: reloadDocument (React Router).'],
  ['/auth/__data.json', 'browser: data-sveltekit-reload (SvelteKit).'],
  ['/auth.data/x', 'browser: reloadDocument (React Router), data-sveltekit-reload, external (Nuxt)'],
  ['/auth/__data.json/x', 'browser: reloadDocument (React Router), data-sveltekit-reload, external (Nuxt)'],
])('a script that requests %s is told what to write: %s', (target, attribute) => {
  const read = classifyRequest(incoming(target, FETCH), policy)
  expect(read).toMatchObject({ code: 'navigation_required', hint: expect.stringContaining(attribute) })
  expect(read).not.toHaveProperty('response')
})

test('a navigation of the browser is looked at for no header of a script', () => {
  const looked: string[] = []
  for (const [target, headers] of [
    ['/login', { ...fromApp, accept: 'text/html' }],
    ['/auth/callback?auth_key=K', { ...fromProvider, accept: 'text/html' }],
  ] as const) {
    const message = incoming(target)
    const heard: Headers = { host: 'app.example', ...headers }
    const spied = new Proxy(heard, {
      get: (given, name) => {
        looked.push(String(name))
        return Reflect.get(given, name)
      },
    })
    Object.defineProperty(message, 'headers', { value: spied })
    expect(verdictOf(classifyRequest(message, policy))).toMatch(/^(start verified|callback K)$/)
  }
  const names = SCRIPT_HEADERS.map(([name]) => name)
  expect(looked.filter((name) => names.includes(name))).toStrictEqual([])
  expect(looked).toContain('sec-fetch-mode')
})
