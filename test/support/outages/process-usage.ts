import { readFileSync } from 'node:fs'

// What Linux counts in, on every machine that Node.js runs on.
const TICKS_PER_SECOND = 100

/** Milliseconds of CPU that a process has used, and its children that have ended; 0 where there is no /proc. */
export function cpuMs(pid: number): number {
  try {
    // Behind the name, which may hold spaces: utime, stime, cutime and cstime are fields 14 to 17.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return (ticks * 1000) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/** What a process holds in memory; 0 where there is no /proc. */
export function memoryMB(pid: number): number {
  try {
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  } catch {
    return 0
  }
}
