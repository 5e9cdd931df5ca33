import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** One process on one machine needs no secret from outside: it makes one, and finds it again after a restart. */
export function ownSecret(dataDir: string): string {
  const file = join(dataDir, 'session-secret')
  const draft = `${file}.${process.pid}`
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  if (!existsSync(file)) {
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
    // A link appears whole or not at all, and never in place of another: of two processes the first one wins.
    attempt(() => linkSync(draft, file))
    rmSync(draft)
  }
  return readFileSync(file, 'utf8')
}

function attempt(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
