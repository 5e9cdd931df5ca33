import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import express, { type Application } from 'express'
import passport from 'passport'

/** The routes of the server. The strategy has the name `native`; `issueToken` makes the session token of the app. */
export function nativeServer(app: Application, issueToken: (user: Express.User) => string): void {
  const appLinks = new Set(['https://app.example/signed-in']) // https links that only the installed app opens
  const isAppAddress = (text: string): boolean =>
    appLinks.has(text) || /^http:\/\/127\.0\.0\.1:\d{1,5}\/signed-in$/.test(text)
  const codes = new Map<string, { user: Express.User; challenge: string }>()

  app.get('/native/start', (req, res, next) => {
    const { challenge, redirect } = req.query
    if (typeof challenge !== 'string' || !/^[\w-]{43}$/.test(challenge)) return void res.sendStatus(400)
    if (typeof redirect !== 'string' || !isAppAddress(redirect)) return void res.sendStatus(400)
    passport.authenticate('native', { state: `${challenge} ${redirect}` })(req, res, next)
  })
  const finishLogin = passport.authenticate('native', { session: false, failureRedirect: '/native/failed' })
  app.get('/native/callback', finishLogin, (req, res) => {
    const state = req.authInfo?.state
    if (!req.user || typeof state !== 'string') return res.redirect('/native/failed') // a reload
    const [challenge = '', redirect] = state.split(' ')
    const code = randomBytes(32).toString('base64url')
    codes.set(code, { user: req.user, challenge })
    setTimeout(() => codes.delete(code), 60_000).unref()
    res.redirect(`${redirect}?code=${code}`)
  })
  app.post('/native/token', express.json(), (req, res) => {
    const { code, verifier }: Record<string, unknown> = req.body ?? {}
    if (typeof code !== 'string' || typeof verifier !== 'string') return void res.sendStatus(400)
    const login = codes.get(code)
    codes.delete(code) // even if the verifier is wrong: no one can guess twice
    if (login?.challenge !== createHash('sha256').update(verifier).digest('base64url')) return void res.sendStatus(400)
    res.set('Cache-Control', 'no-store').json({ token: issueToken(login.user) })
  })
}

/** What the app does, here with Node. @returns the token, or the status of a server in trouble */
export async function nativeApp(server: string, openBrowser: (url: string) => void): Promise<unknown> {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const loopback = createServer().listen(0, '127.0.0.1')
  await once(loopback, 'listening')
  const address = loopback.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const redirect = `http://127.0.0.1:${port}/signed-in`
  openBrowser(`${server}/native/start?${new URLSearchParams({ challenge, redirect })}`)
  // Anyone on this machine, and any website, can call the listener: a code that the server refuses is not the right one.
  return new Promise((resolve, reject) => {
    loopback.on('request', ({ url = '' }, res) => {
      const [, code] = /^\/signed-in\?code=([\w-]{43})$/.exec(url) ?? []
      if (code === undefined) return void res.writeHead(404).end()
      const headers = { 'Content-Type': 'application/json' }
      const body = JSON.stringify({ code, verifier })
      void fetch(`${server}/native/token`, { method: 'POST', headers, body }).then(async (response) => {
        if (response.status === 400) return res.writeHead(400).end()
        resolve(response.ok ? await response.json() : response.status)
        return res.end('You can close this window and return to the application.', () => loopback.close())
      }, reject)
    })
  })
}
