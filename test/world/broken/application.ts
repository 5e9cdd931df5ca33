import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Server } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import express from 'express'
import { Hono } from 'hono'
import { type FakeProvider, signIn } from 'passport-social-login/testing'
import supertest from 'supertest'
import { fetchRoute } from '../../support/fetch-routes'
import { stopServer } from '../../support/listen'

const dist = join(__dirname, '../../..')
const load = createRequire(join(dist, 'test/package/docs/any.js'))
/** The two applications of the documentation, as the compiler writes them. */
const FILES = { express: 'example-app/minimal.js', web: 'test/package/docs/web-app.js' } as const
/** The paths of their starts and callbacks. */
export const PATHS = {
  express: ['/auth/social-login', '/auth/social-login/callback'],
  web: ['/auth', '/auth/callback'],
} as const

export type Adapter = keyof typeof FILES

/** How an application is broken. */
export interface Broken {
  /** Texts of its program, and their replacements. */
  readonly code?: Readonly<Record<string, string>>
  /** Variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** An application of the documentation that runs. */
export interface RunningApplication {
  /** As the first test of the guide does. */
  signIn(provider: FakeProvider): Promise<unknown>
  stop(): Promise<void>
}

/** @throws what the application throws at its start */
export async function startApplication(adapter: Adapter, origin: string, broken: Broken): Promise<RunningApplication> {
  forgetModules()
  const { server, app } = run(FILES[adapter], broken)
  if (server instanceof Server) {
    if (!server.listening) await once(server, 'listening')
    return {
      signIn: (provider) => signIn(supertest.agent(origin), { provider }),
      stop: () => stopServer(server),
    }
  }
  if (!(app instanceof Hono)) throw new Error('the program exports no application')
  const listening = express()
    .use(fetchRoute(async (request) => app.fetch(request)))
    .listen(Number(new URL(origin).port), 'localhost')
  await once(listening, 'listening')
  return {
    signIn: (provider) => signIn((path, init) => app.request(origin + path, init), { provider, start: PATHS.web[0] }),
    stop: () => stopServer(listening),
  }
}

/** So that each application is the first of the process: a warning is given once. */
function forgetModules(): void {
  for (const file of Object.keys(load.cache))
    if (/[\\/]dist[\\/]lib[\\/]|[\\/]node_modules[\\/]passport[\\/]/.test(file)) delete load.cache[file]
}

function run(file: string, { code = {}, env = {} }: Broken): { server?: unknown; app?: unknown } {
  Object.assign(process.env, env)
  let text = readFileSync(join(dist, file), 'utf8')
  for (const [old, now] of Object.entries({ 'app.listen(': 'exports.server = app.listen(', ...code })) {
    if (file === FILES.web && old === 'app.listen(') continue
    if (!text.includes(old)) throw new Error(`the program has no ${old}`)
    text = text.replace(old, () => now)
  }
  const exports: { server?: unknown; default?: unknown } = {}
  const program = compileFunction(text, ['require', 'exports'], { filename: join(dist, file) })
  Reflect.apply(program, undefined, [load, exports])
  return { server: exports.server, app: exports.default }
}
