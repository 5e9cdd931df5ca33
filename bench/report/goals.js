import { median } from '../statistics.js'
import { table } from './tables.js'

const OURS = ['ours', 'cookie', 'legacy', 'web']
// Over passport-oauth2's CPU, at 1, 16 and 128 callbacks at once.
const CPU_LIMITS = [1.05, 1, 1]

/** The goals, each with what was measured and whether that reaches it. */
export function judge({ roundTrips, callbacks, allocated, memory, stall, communities, footprint }) {
  return [
    ...(roundTrips ? judgeRoundTrips(roundTrips) : []),
    ...(callbacks ? judgeCallbacks(callbacks) : []),
    ...(allocated ? judgeAllocated(allocated) : []),
    ...(memory ? judgeMemory(memory) : []),
    ...(stall ? judgeStall(stall) : []),
    ...(footprint ? judgeFootprint(footprint) : []),
    ...(communities ? judgeCommunities(communities) : []),
  ]
}

export function goalTable(goals) {
  const rows = goals.map(({ goal, text, measured, reached }) => [goal, text, measured, reached ? 'reached' : 'MISSED'])
  return `## Goals\n\n${table(['', 'goal', 'measured', ''], rows)}`
}

function judgeRoundTrips({ providers }) {
  const afterIdle = Object.values(providers).flatMap(({ first: _, ...scenarios }) => Object.values(scenarios))
  const worst = Math.max(...afterIdle.flatMap((scenario) => OURS.map((name) => scenario[name].roundTrips)))
  // How long connections are kept makes no difference to a first login: all samples are of one kind.
  const first = (name) => median(Object.values(providers).flatMap((scenarios) => scenarios.first[name].all))
  const best = Math.min(...['oauth2', 'openid', 'grant', 'authjs', 'betterAuth'].map(first))
  return [
    goal('1', 'isolated login <= 2.2 round trips after any idle time', worst.toFixed(2), worst <= 2.2),
    goal(
      '1',
      "first login ever <= the peers' best",
      `${first('ours').toFixed(1)}, ${best.toFixed(1)}`,
      first('ours') <= best,
    ),
  ]
}

function judgeCallbacks(callbacks) {
  const overOAuth2 = Object.values(callbacks).map(({ cpuOverOAuth2 }) => cpuOverOAuth2.ours.median)
  const rate = callbacks[128].rateOverOAuth2.ours.median
  return [
    goal(
      '2',
      "callback <= 1.05, 1.00, 1.00 x passport-oauth2's CPU, c = 1, 16, 128",
      list(overOAuth2),
      overOAuth2.every((ratio, index) => ratio <= CPU_LIMITS[index]),
    ),
    goal('3', "rate >= passport-oauth2's, c = 128", rate.toFixed(2), rate >= 1),
  ]
}

function judgeAllocated({ ours, oauth2 }) {
  const [own, peer] = [ours, oauth2].map(({ bytes }) => bytes / 1024)
  const text = 'allocated by a callback <= 108 KiB (passport-oauth2 beside it)'
  return [goal('2', text, `${own.toFixed(1)}, ${peer.toFixed(1)} KiB`, own <= 108)]
}

function judgeMemory({ ours }) {
  const perBatch = ours.grownPer10000Logins.map((bytes) => bytes / 1e6)
  const starts = ours.grownBy100000Starts / 1e6
  return [
    goal('5', '<= 0.9 MB per 10,000 logins', `${list(perBatch)} MB`, Math.max(...perBatch) <= 0.9),
    goal('5', '100,000 starts leave nothing', `${starts.toFixed(2)} MB`, starts <= 0.25),
  ]
}

function judgeStall({ bulkhead, contenders: { ours } }) {
  const limit = 3 * bulkhead
  return [
    goal('6', `stalled provider: <= ${limit} connections`, ours.connections, ours.connections <= limit),
    goal(
      '6',
      'unrelated route p99 <= 100 ms, at 1,000 callbacks/s',
      `${ours.pingP99.toFixed(0)} ms`,
      ours.pingP99 <= 100,
    ),
  ]
}

function judgeFootprint({ loadMs, installed }) {
  const ours = 'passport-social-login'
  const peers = 'passport-oauth2 + undici'
  const compare = (values, format) => `${format(values[ours])}, ${format(values[peers])}`
  const { bytes } = installed[ours]
  return [
    goal(
      '7',
      `load time <= ${peers} + 10 ms`,
      compare(loadMs, (ms) => `${ms.toFixed(0)} ms`),
      loadMs[ours] <= loadMs[peers] + 10,
    ),
    goal('7', 'installed, without types, <= 3.5 MB', `${(bytes / 1e6).toFixed(1)} MB`, bytes <= 3.5e6),
  ]
}

function judgeCommunities({ cpu, logins, hanging }) {
  const ratios = ['communities', 'asyncCommunities'].map((name) => cpu.ratio[name].median)
  const { before, during } = hanging
  return [
    goal(
      '8',
      'many providers: each login brings the person of its provider',
      `${logins.wrong} wrong`,
      logins.wrong === 0,
    ),
    goal(
      '8',
      'callback that finds its provider <= 1.03 x one of a fixed provider',
      list(ratios),
      Math.max(...ratios) <= 1.03,
    ),
    goal(
      '8',
      'a provider hangs: p99 of the others <= 2 x that before',
      (during.p99 / before.p99).toFixed(2),
      during.p99 <= 2 * before.p99,
    ),
  ]
}

const goal = (number, text, measured, reached) => ({ goal: number, text, measured: String(measured), reached })

const list = (numbers) => numbers.map((number) => number.toFixed(2)).join(', ')
