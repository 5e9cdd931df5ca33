import { readFileSync } from 'node:fs'

// The unit of /proc on every Linux that Node.js supports.
const TICKS_PER_SECOND = 100

/** Milliseconds of CPU that a process has used, and its ended children; 0 without /proc. */
export function cpuMs(pid: number): number {
  try {
    // After the name, which may contain spaces: utime, stime, cutime and cstime are fields 14 to 17.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return (ticks * 1000) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/** Memory of a process in megabytes; 0 without /proc. */
export function memoryMB(pid: number): number {
  try {
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024)
  } catch {
    return 0
  }
}
