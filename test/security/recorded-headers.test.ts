import { ENGINES, type HeaderRow, rowsOf } from '../support/attacks/header-rows'
import { type Kind, ours, SOCIAL } from '../support/attacks/target-app'
import { Browser, type BrowserAnswer } from '../support/browser'
import { useLogins } from '../support/logins'
import { EVIL, type HTTPTarget, startTarget } from './http-target'

const logins = useLogins('all tests')
/** The applications of this file, by their options: a row needs a browser of its own, not an application. */
const targets = new Map<string, HTTPTarget>()
let target: HTTPTarget
afterAll(async () => {
  for (const each of targets.values()) await each.stop()
})

async function targetFor(kind: Kind, { strategy }: HeaderRow): Promise<HTTPTarget> {
  const key = JSON.stringify([kind, strategy])
  const options = { kind, logins: [{ name: SOCIAL, provider: logins.provider }] }
  const found = targets.get(key) ?? (await startTarget({ ...options, ...(strategy && { strategy }) }))
  targets.set(key, found)
  return found
}

/** The headers of a row, with the names of this test's hosts. */
function headersOf({ sent }: HeaderRow, cookies: string): Record<string, string> {
  const hosts: Record<string, string> = { app: target.origin, provider: logins.provider.origin, null: 'null' }
  const originOf = (label: string) => (['absent', ''].includes(label) ? label : (hosts[label] ?? EVIL))
  const isPreload = sent.purpose === 'preload for a worker'
  const headers = {
    'sec-fetch-site': sent.site,
    'sec-fetch-mode': sent.mode,
    'sec-fetch-dest': sent.dest,
    'sec-purpose': isPreload ? 'absent' : sent.purpose,
    'service-worker-navigation-preload': isPreload ? 'true' : 'absent',
    accept: { page: 'text/html,*/*;q=0.8', other: '*/*' }[sent.accept] ?? 'absent',
    origin: originOf(sent.origin),
    referer: originOf(sent.referer),
    // The record is in Lax cookies: without them, the browser sends none.
    cookie: sent.cookies.includes('lax') ? cookies : '',
  }
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== 'absent'))
}

async function replay(row: HeaderRow, browser: Browser): Promise<BrowserAnswer> {
  const { method } = row.sent
  if (method !== 'GET' && method !== 'POST') throw new Error(`a row by ${method}`)
  if (row.pending) {
    const site = row.strategy ? row.sent.site : 'same-origin'
    await browser.follow(target.startURL(), { headers: { 'sec-fetch-site': site } })
    expect(target.lastVerdict()).toBe('started')
  }
  const headers = headersOf(row, await browser.cookies(target.origin))
  // If Lax cookies are not sent, those of the response are not stored, either.
  const sender = row.sent.cookies.includes('lax') ? browser : new Browser()
  return sender.request(row.request === 'start' ? target.startURL() : target.approved('1'), { method, headers })
}

/** Each row once, with the first engine that sends it like this. */
const rows = [
  ...new Map(
    [...ENGINES]
      .reverse()
      .flatMap((engine) =>
        rowsOf(engine).map((row) => [JSON.stringify([row.id, row.sent, row.verdict]), { ...row, engine }] as const),
      ),
  ).values(),
]

describe.each(ours)('what real browsers send, replayed (%s)', (kind) => {
  test.each(rows)('$id ($engine), $scenario: the $request is $verdict', async (row) => {
    target = await targetFor(kind, row)
    target.visits.length = 0
    const browser = new Browser()
    const answer = await replay(row, browser)
    expect(target.lastVerdict()).toBe(row.verdict)
    expect(logins.exchanges()).toBe(row.verdict === 'accepted' ? 1 : 0)
    expect(answer.headers['cache-control']).toBe('no-store')
    if (!row.pending || row.verdict === 'accepted') return
    // Whatever was refused, the pending login can still be finished.
    await browser.comeBack(target.approved('1'), { headers: { 'sec-fetch-site': 'cross-site' } })
    expect(target.lastVerdict()).toBe('accepted')
  })
})
