import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const CURES: Readonly<Record<string, string | undefined>> = {
  EACCES: 'this process may not write there: give it the rights, or name another folder',
  EPERM: 'this process may not write there: give it the rights, or name another folder',
  EROFS: 'the file system is read-only: name a folder on another one',
  ENOSPC: 'the disk is full: free some of it, or name a folder on another one',
  EDQUOT: 'the quota is used up: raise it, or name a folder elsewhere',
  EFBIG: 'files may not grow there: raise the limit, or name a folder elsewhere',
  ENOTDIR: 'a part of the path is not a folder: name another one',
  EEXIST: 'it is not a folder: name another one',
  ENOENT: 'it cannot be created there: name another one',
  OTHER_USER: 'another user has just put a file there: name a folder that nobody else may write to',
}
// SQLite plays a journal back into the database when it opens it, although this application never leaves one.
const FILE_NAMES = ['session-secret', 'app.db', 'app.db-wal', 'app.db-shm', 'app.db-journal']
const SECRET_BYTES = 32
const WHOLE_SECRET = /^[\w-]{43}$/

/**
 * Creates the folder, keeps its files to their owner, and says what is wrong with it, because the errors of the database do
 * not say it clearly.
 */
export function dataFolderProblem(dataDir: string): string | undefined {
  try {
    makeFolder(resolve(dataDir))
    writeProbe(dataDir)
    return FILE_NAMES.map((name) => fileProblem(dataDir, name)).find((problem) => problem !== undefined)
  } catch (error) {
    return `names a folder that cannot be used (${cureOf(error)}).`
  }
}

/** Another user has put a file into the folder after `dataFolderProblem` had looked. */
class OtherUserError extends Error {
  readonly code = 'OTHER_USER'
}

/**
 * Looks once more, when the database is opened: until then, its files could still be put there by others.
 *
 * @throws OtherUserError
 */
export function requireOwnFiles(dataDir: string): void {
  const files = FILE_NAMES.map((name) => join(dataDir, name))
  const found = [lstatSync, statSync].flatMap((read) => files.map((file) => read(file, { throwIfNoEntry: false })))
  if (found.some((stats) => stats !== undefined && isOfAnotherUser(stats))) throw new OtherUserError()
}

/** The code of a system error, with advice what to do about it. */
export function cureOf(error: unknown): string {
  const code = codeOf(error)
  const cure = CURES[code]
  return cure === undefined ? code : `${code}: ${cure}`
}

/** Creates one folder after the other. Node's `recursive` option never returns in a folder such as /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it at the same moment.
    if (codeOf(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
  }
}

/** Writes some data, because a full disk still allows empty files. */
function writeProbe(folder: string): void {
  const file = join(folder, `probe.${randomBytes(8).toString('hex')}`)
  try {
    writeDurably(file, '0'.repeat(4096))
  } finally {
    rmSync(file, { force: true })
  }
}

/** Creates a file and flushes it to the disk before returning. */
function writeDurably(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Only regular files are accepted: opening a pipe, for example, would block forever. In a folder that others can write to,
 * another user may have put a file or a link there, to read and change what this process keeps.
 */
function fileProblem(folder: string, name: string): string | undefined {
  const file = join(folder, name)
  const [found, link] = [statSync, lstatSync].map((stat) => stat(file, { throwIfNoEntry: false }))
  if (!found || !link) return undefined
  if (!found.isFile()) return `holds ${name}, which is not a file: remove it, or name another folder.`
  if ([found, link].some(isOfAnotherUser)) {
    return `holds ${name}, which belongs to another user: remove it, or make it yours (chown) if you trust it.`
  }
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    // A file from a backup, for example, may be readable by other users.
    if (found.uid === process.getuid?.()) chmodSync(file, 0o600)
    return undefined
  } catch (error) {
    // Another process that opens or closes the database may have removed a journal meanwhile.
    if (codeOf(error) === 'ENOENT') return undefined
    return `holds a file ${name} that cannot be used (${cureOf(error)}).`
  }
}

/** Root can read and change every file anyway. On Windows, files have no user id. */
function isOfAnotherUser({ uid }: Stats): boolean {
  const own = process.getuid?.()
  return own !== undefined && uid !== own && uid !== 0
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}

/**
 * On a single machine no secret needs to be configured: one is generated and stored in the data folder. Undefined when
 * the file is damaged: after a power failure it may be empty, truncated, or full of zeros.
 *
 * @throws OtherUserError when another user was faster to create the file, and so knows the secret
 */
export function ownSecret(dataDir: string): string | undefined {
  const file = join(dataDir, 'session-secret')
  if (!existsSync(file)) makeSecret(dataDir, file)
  const descriptor = openSync(file, 'r')
  try {
    if (isOfAnotherUser(fstatSync(descriptor))) throw new OtherUserError()
    const secret = readFileSync(descriptor, 'utf8')
    return WHOLE_SECRET.test(secret) ? secret : undefined
  } finally {
    closeSync(descriptor)
  }
}

function makeSecret(dataDir: string, file: string): void {
  // A random name, because process ids are not unique across containers that share the folder.
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  // Flushed before it gets its final name, so that the final file is never incomplete.
  writeDurably(draft, randomBytes(SECRET_BYTES).toString('base64url'))
  try {
    // Linking is atomic and never replaces an existing file: of two processes, the first one wins.
    linkSync(draft, file)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  syncFolder(dataDir)
}

function syncFolder(folder: string): void {
  // Folders cannot be opened on Windows.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
