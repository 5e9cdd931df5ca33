import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Deployment } from '../../support/outages/deployment'
import { closeVisitors, Visitors } from '../../support/outages/visitors'
import { childrenOf, describeWithPostgres, queryAt } from '../../support/postgres/postgres'

const FILE = join(__dirname, '../../../../bench/results/capacity.json')
const SECONDS = Number(process.env['CAPACITY_SECONDS'] ?? 20)
const STEADY_PER_SECOND = 8
const LANES = 24
// The unit of /proc on every Linux that Node.js supports.
const TICKS_PER_SECOND = 100

const figures: Record<string, object> = {}

afterAll(async () => {
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, `${JSON.stringify(figures, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  await closeVisitors()
})

/** Milliseconds of CPU that processes have used, with their ended children. */
function cpuMsOf(pids: readonly number[]): number {
  const ticks = pids.flatMap((pid) => {
    // After the name, which may contain spaces: utime, stime, cutime and cstime are fields 14 to 17.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields.slice(11, 15).map(Number)
  })
  return (ticks.reduce((sum, count) => sum + count, 0) * 1000) / TICKS_PER_SECOND
}

/** What has been used so far, of everything that a login uses. */
async function usedBy({ everyProcess, postgres, provider }: Deployment): Promise<Record<string, number>> {
  const { url, cluster, proxy } = postgres
  const sql = `select pg_current_wal_insert_lsn() - '0/0' as wal, count(*) as rows,
    pg_total_relation_size('sessions') as bytes from sessions`
  const [row] = await queryAt(url, sql)
  return {
    exampleCPUMs: cpuMsOf(everyProcess.map(({ running }) => running.pid)),
    postgresCPUMs: cpuMsOf([cluster.pid, ...childrenOf(cluster.pid)]),
    postgresBytes: proxy.bytes,
    providerRequests: provider.requests.length,
    logBytes: everyProcess.reduce((sum, { running }) => sum + Buffer.byteLength(running.output()), 0),
    // What Postgres writes ahead, to its own disk and to a replica.
    walBytes: Number(row?.['wal']),
    sessionRows: Number(row?.['rows']),
    sessionBytes: Number(row?.['bytes']),
  }
}

async function measure(processes: number, load: (visitors: Visitors) => void): Promise<object> {
  const deployment = await Deployment.start({ processes })
  try {
    // Compiled code and open connections belong to every process that has run for a while.
    const warmUp = new Visitors(deployment)
    warmUp.startInParallel(8)
    await sleep(5000)
    await warmUp.stop()
    const before = await usedBy(deployment)
    const begin = performance.now()
    const visitors = new Visitors(deployment)
    load(visitors)
    await sleep(SECONDS * 1000)
    await visitors.stop()
    const seconds = (performance.now() - begin) / 1000
    const after = await usedBy(deployment)
    const times = visitors.logins.map(({ began, ended }) => ended - began).sort((one, other) => one - other)
    expect(visitors.logins.filter(({ outcome }) => outcome !== 'good')).toStrictEqual([])
    const perLogin = Object.entries(after).map(([name, sum]) => [
      name,
      round((sum - (before[name] ?? 0)) / times.length),
    ])
    return {
      processes,
      logins: times.length,
      perSecond: round(times.length / seconds),
      p50Ms: times[Math.floor(times.length / 2)],
      p99Ms: times[Math.floor(times.length * 0.99)],
      perLogin: Object.fromEntries(perLogin),
    }
  } finally {
    await deployment.stop()
  }
}

function round(figure: number): number {
  return Math.round(figure * 100) / 100
}

describeWithPostgres('capacity', () => {
  test('one process, a few logins a second', async () => {
    figures['steady'] = await measure(1, (visitors) => visitors.start(STEADY_PER_SECOND))
  }, 120_000)

  test.each([1, 2])(
    '%i processes, as many logins as they can do',
    async (processes) => {
      figures[`busy, ${processes}`] = await measure(processes, (visitors) => visitors.startInParallel(LANES))
    },
    120_000,
  )
})
