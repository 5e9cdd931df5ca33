// Preloaded to set a process's clock ahead by CLOCK_AHEAD_MS.
const ahead = Number(process.env['CLOCK_AHEAD_MS'] ?? 0)
const realNow = Date.now.bind(Date)
const now = (): number => realNow() + ahead

Date.now = now
globalThis.Date = new Proxy(Date, {
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  apply: () => new Date(now()).toString(),
})
