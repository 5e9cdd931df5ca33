import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, writeDurably } from './data-folder'

const BYTES = 32
const WHOLE = /^[\w-]{43}$/

/**
 * One process on one machine needs no secret from outside: it makes one, and finds it again after a restart. Undefined
 * when the file holds something else: a disk that lost its power may leave a file empty, short, or full of zeros.
 */
export function ownSecret(dataDir: string): string | undefined {
  const file = join(dataDir, 'session-secret')
  if (!existsSync(file)) makeSecret(dataDir, file)
  const secret = readFileSync(file, 'utf8')
  return WHOLE.test(secret) ? secret : undefined
}

function makeSecret(dataDir: string, file: string): void {
  // No other process has this name, in whichever container it runs.
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  // On the disk before it gets its name.
  writeDurably(draft, randomBytes(BYTES).toString('base64url'))
  try {
    // A link appears whole or not at all, and never in place of another: of two processes the first one wins.
    linkSync(draft, file)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  syncFolder(dataDir)
}

function syncFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
