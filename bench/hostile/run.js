// CPU time of hostile requests beside that of ordinary refused ones, as ratios of medians in one run:
//   node bench/hostile/run.js
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { FakeProvider } from '../../dist/lib/testing/index.js'
import { cases } from './cases.js'
import { exchange, get } from './client.js'

const ROUNDS = 9
const REQUESTS = 60

const sameOrigin = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
const crossSite = { ...sameOrigin, 'Sec-Fetch-Site': 'cross-site' }

async function main() {
  const provider = await FakeProvider.start()
  const { appID, appSecret } = provider.registerApplication({
    name: 'Hostile',
    redirectURL: 'http://localhost/callback',
  })
  const app = fork(new URL('./app.js', import.meta.url))
  app.send({ baseURL: provider.baseURL, clientID: appID, clientSecret: appSecret })
  const [{ port }] = await once(app, 'message')
  const cpuOf = async (work) => {
    const before = await cpu(app)
    await work()
    return (await cpu(app)) - before
  }
  const logins = { port, provider, newKey: () => provider.issueAuthKey({ appID, userID: '1' }), cpuOf }
  const rows = []
  for (const [group, attempts] of Object.entries(cases)) {
    const measure =
      group === 'profile'
        ? (body) => loginsAnswered(logins, body)
        : ([target, headers]) => cpuOf(() => exchange(port, Array(REQUESTS).fill(get(target, headers))))
    rows.push(...(await compare(group, attempts, measure)))
  }
  report(rows)
  app.kill()
  await provider.stop()
}

async function cpu(app) {
  app.send({})
  const [{ cpu }] = await once(app, 'message')
  return cpu.user + cpu.system
}

/** The CPU time of callbacks alone: their starts come before. */
async function loginsAnswered({ port, provider, newKey, cpuOf }, body) {
  const started = await exchange(port, Array(REQUESTS).fill(get('/auth', sameOrigin)))
  const callbacks = started.map((head) => {
    const Cookie = /set-cookie: ([^;]+)/i.exec(head)[1]
    return get(`/callback?auth_key=${newKey()}`, { ...crossSite, Cookie })
  })
  provider.failNext('user/me', { body }, { times: REQUESTS })
  return cpuOf(() => exchange(port, callbacks))
}

/** The cases take turns, so that a machine that slows down slows them all down. */
async function compare(group, attempts, measure) {
  const times = new Map(Object.keys(attempts).map((title) => [title, []]))
  for (let round = -1; round < ROUNDS; round++) {
    for (const [title, attempt] of Object.entries(attempts)) {
      const time = (await measure(attempt)) / REQUESTS
      if (round >= 0) times.get(title).push(time)
    }
  }
  const [[, ordinary]] = times
  return Array.from(times, ([title, list]) => ({
    group,
    title,
    microseconds: Math.round(median(list)),
    ratio: Number((median(list) / median(ordinary)).toFixed(2)),
  }))
}

function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
}

function report(rows) {
  for (const { group, title, microseconds, ratio } of rows) {
    console.log(
      `${group.padEnd(22)}${title.padEnd(48)}${String(microseconds).padStart(7)} us${ratio.toFixed(2).padStart(8)} x`,
    )
  }
  const worst = Math.max(...rows.filter(({ group }) => group !== 'Express alone').map(({ ratio }) => ratio))
  console.log(`\nthe worst: ${worst} x an ordinary refused one`)
  writeFileSync(
    new URL('../results/hostile.json', import.meta.url),
    `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`,
  )
}

await main()
