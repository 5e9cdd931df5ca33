import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Deployment } from '../../support/outages/deployment'
import { closeVisitors, Visitors } from '../../support/outages/visitors'
import { describeWithPostgres } from '../../support/postgres/postgres'

const FILE = join(__dirname, '../../../../bench/results/capacity.json')
const SECONDS = Number(process.env['CAPACITY_SECONDS'] ?? 20)
const STEADY_PER_SECOND = 8
const LANES = 24

const figures: Record<string, object> = {}

afterAll(async () => {
  mkdirSync(dirname(FILE), { recursive: true })
  writeFileSync(FILE, `${JSON.stringify(figures, null, 2)}\n`)
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`)
  await closeVisitors()
})

/** What has been used so far, of everything that a login uses. */
interface Used {
  readonly exampleCPUMs: number
  readonly postgresCPUMs: number
  /** Visitors, balancer and provider: what shares the machine here, and does not in production. */
  readonly harnessCPUMs: number
  readonly statements: number
  readonly writes: number
  readonly roundTrips: number
  readonly postgresBytes: number
  readonly providerBytes: number
  readonly providerRequests: number
  /** What Postgres writes ahead, to its own disk and to a replica. */
  readonly walBytes: number
  readonly logBytes: number
}

async function usedBy(deployment: Deployment): Promise<Used> {
  const { everyProcess, postgres, statements, postgresProxy, providerProxy, provider } = deployment
  const { user, system } = process.cpuUsage()
  const [wal] = await postgres.query("select pg_current_wal_insert_lsn() - '0/0' as bytes")
  return {
    harnessCPUMs: (user + system) / 1000,
    walBytes: Number(wal?.['bytes']),
    logBytes: everyProcess.reduce((sum, { outputBytes }) => sum + outputBytes, 0),
    exampleCPUMs: everyProcess.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    postgresCPUMs: await postgres.cpuMs(),
    statements: statements.statements,
    writes: statements.writes,
    roundTrips: statements.roundTrips,
    postgresBytes: postgresProxy.bytes,
    providerBytes: providerProxy.bytes,
    providerRequests: provider.requests.length,
  }
}

/** Rows and bytes of a table with its indexes. */
async function sizeOf({ postgres }: Deployment, table: string): Promise<{ rows: number; bytes: number }> {
  const [row] = await postgres.query(
    `select count(*) as rows, pg_total_relation_size('${table}') as bytes from ${table}`,
  )
  return { rows: Number(row?.['rows']), bytes: Number(row?.['bytes']) }
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
    const rowsBefore = await sizeOf(deployment, 'sessions')
    const begin = performance.now()
    const visitors = new Visitors(deployment)
    load(visitors)
    await sleep(SECONDS * 1000)
    await visitors.stop()
    const seconds = (performance.now() - begin) / 1000
    const after = await usedBy(deployment)
    const sessions = await sizeOf(deployment, 'sessions')
    const times = visitors.logins.map(({ began, ended }) => ended - began).sort((one, other) => one - other)
    expect(visitors.logins.filter(({ outcome }) => outcome !== 'good')).toEqual([])
    return {
      processes,
      logins: times.length,
      perSecond: round(times.length / seconds),
      p50Ms: times[Math.floor(times.length / 2)],
      p99Ms: times[Math.floor(times.length * 0.99)],
      perLogin: difference(before, after, times.length),
      memoryMB: Math.max(...deployment.everyProcess.map(({ memoryMB }) => memoryMB)),
      sessionRowsPerLogin: round((sessions.rows - rowsBefore.rows) / times.length),
      bytesPerSessionRow: round(sessions.bytes / sessions.rows),
    }
  } finally {
    await deployment.stop()
  }
}

function difference(before: Used, after: Used, logins: number): Used {
  const per = (name: keyof Used): number => round((after[name] - before[name]) / logins)
  return {
    exampleCPUMs: per('exampleCPUMs'),
    postgresCPUMs: per('postgresCPUMs'),
    statements: per('statements'),
    writes: per('writes'),
    roundTrips: per('roundTrips'),
    postgresBytes: per('postgresBytes'),
    providerBytes: per('providerBytes'),
    providerRequests: per('providerRequests'),
    harnessCPUMs: per('harnessCPUMs'),
    walBytes: per('walBytes'),
    logBytes: per('logBytes'),
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
