import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config'
import { reasonOf } from './storage/database'

const SECRET_BYTES = 32
const WHOLE_SECRET = /^[\w-]{43}$/

const INCOMPLETE =
  'DATA_DIR holds a session-secret file that is incomplete: remove it, and a new one is made (everyone has to sign in again)'

/**
 * The secret in the data folder, which is generated when there is none.
 *
 * @throws ConfigError when the folder cannot be used, or its file is incomplete, as may be after a power failure
 */
export function keptSecret(dataDir: string): string {
  const secret = secretIn(dataDir)
  if (!WHOLE_SECRET.test(secret)) throw new ConfigError([INCOMPLETE])
  return secret
}

function secretIn(dataDir: string): string {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    const file = join(dataDir, 'session-secret')
    if (!existsSync(file)) makeSecret(file)
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError([`DATA_DIR names a folder that cannot be used (${reasonOf(error)})`])
  }
}

function makeSecret(file: string): void {
  // The file is complete before it gets its final name, so that another process that starts now reads all of it.
  const draft = `${file}.${randomUUID()}`
  writeFileSync(draft, randomBytes(SECRET_BYTES).toString('base64url'), { mode: 0o600, flush: true })
  try {
    // `linkSync` never replaces an existing file: of two processes, the first one wins.
    linkSync(draft, file)
  } catch (error) {
    if (reasonOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}
