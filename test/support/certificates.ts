import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tls from 'node:tls'

/** A private key and its certificate, as node:tls takes them. */
export interface Certified {
  readonly key: string
  readonly cert: string
}

/** Certificates of a test run, made by the openssl command. */
export interface Certificates {
  /** The authority that the tests trust. */
  readonly ca: string
  readonly good: Certified
  readonly expired: Certified
  readonly wrongHost: Certified
  readonly selfSigned: Certified
  /** Issued by an untrusted authority. */
  readonly unknownCA: Certified
}

export function makeCertificates(): Certificates {
  return onceADay('all', (folder) => {
    const authority = issueAuthority(folder, 'trusted')
    const stranger = issueAuthority(folder, 'stranger')
    return {
      ca: authority.cert,
      good: issue(folder, 'good', 'trusted', 'localhost'),
      expired: issue(folder, 'expired', 'trusted', 'localhost', PAST),
      wrongHost: issue(folder, 'wrong-host', 'trusted', 'other.example'),
      unknownCA: issue(folder, 'unknown', 'stranger', 'localhost'),
      selfSigned: stranger,
    }
  })
}

/** A self-signed certificate for these hosts. */
export function makeCertificate(hosts: readonly string[]): Certified {
  return inFolder((folder) => issueAuthority(folder, 'hosts', hosts))
}

/** A self-signed certificate with an RSA key, for old cipher suites. */
export function makeRSACertificate(): Certified {
  return onceADay('rsa', (folder) => issueAuthority(folder, 'rsa', ['localhost'], ['-newkey', 'rsa:2048', '-nodes']))
}

/** Makes clients of this process trust an authority, as NODE_EXTRA_CA_CERTS does for a whole one, until mocks are restored. */
export function trustAuthority(ca: string): jest.SpyInstance {
  const { connect } = tls
  return jest.spyOn(tls, 'connect').mockImplementation((...args: unknown[]) => {
    const [options, ...rest] = args
    return Reflect.apply(connect, tls, [{ ...Object(options), ca }, ...rest])
  })
}

const DAY_MS = 24 * 60 * 60 * 1000
/** What the files of a test run share: a build deletes it. */
const SHARED = join(__dirname, '../certificates')

/** What was made less than a day ago, by any process, or what is made now. */
function onceADay<T>(name: string, make: (folder: string) => T): T {
  const file = join(SHARED, `${name}.json`)
  const age = Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  if (age < DAY_MS) return JSON.parse(readFileSync(file, 'utf8'))
  const made = inFolder(make)
  mkdirSync(SHARED, { recursive: true })
  // Another process may read it in the meantime.
  const whole = `${file}.${process.pid}`
  writeFileSync(whole, JSON.stringify(made), { mode: 0o600 })
  renameSync(whole, file)
  return made
}

function inFolder<T>(make: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  try {
    return make(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const PAST = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z']
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function issueAuthority(folder: string, name: string, hosts: readonly string[] = ['localhost'], key = KEY): Certified {
  const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join()}`
  const more = ['-days', '2', '-subj', `/CN=${name}`, '-addext', names]
  openssl(folder, ['req', '-x509', ...key, '-keyout', `${name}.key`, '-out', `${name}.crt`, ...more])
  return read(folder, name)
}

function issue(folder: string, name: string, authority: string, host: string, validity = ['-days', '2']): Certified {
  openssl(folder, ['req', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${host}`])
  // `openssl ca`, not `openssl x509`: only it accepts a validity in the past.
  writeFileSync(join(folder, 'index.txt'), '')
  writeFileSync(join(folder, 'ca.cnf'), configuration(host))
  const signer = ['-cert', `${authority}.crt`, '-keyfile', `${authority}.key`]
  const files = ['-in', `${name}.csr`, '-out', `${name}.crt`]
  openssl(folder, ['ca', '-batch', '-config', 'ca.cnf', ...signer, ...files, '-notext', ...validity])
  return read(folder, name)
}

function configuration(host: string): string {
  return `[ca]
default_ca = here
[here]
database = index.txt
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
x509_extensions = extensions
[any]
commonName = supplied
[extensions]
subjectAltName = DNS:${host}
`
}

function read(folder: string, name: string): Certified {
  const text = (file: string): string => readFileSync(join(folder, file), 'utf8')
  return { key: text(`${name}.key`), cert: text(`${name}.crt`) }
}

function openssl(folder: string, args: readonly string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
}
