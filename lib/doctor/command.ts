import { writeFileSync } from 'node:fs'
import { USER_AGENT } from '../client/options'
import { isLoopback } from '../client/url-options'
import { printHelp, UsageError } from '../command-line'
import { examineApp } from './app/examine'
import { asBrowser } from './app/site'
import { type AppArguments, type DoctorArguments, readAppArguments, readDoctorArguments, usage } from './arguments'
import { browserLogin, isCatchable, listenForCallback } from './browser-login'
import { examine } from './doctor'
import type { Examination, Finding } from './examination'
import { asJSON, optionLines } from './report'
import { Screen, type Terminal } from './screen'
import { count } from './text'

/**
 * `passport-social-login doctor`.
 * @returns the exit code: 0, or 1 when something is broken
 * @throws UsageError for wrong arguments
 */
export async function runDoctor(args: readonly string[], terminal: Terminal): Promise<number> {
  const ofApp = readAppArguments(args, terminal.env)
  const given = ofApp ?? readDoctorArguments(args, terminal.env)
  if (given === undefined) {
    printHelp(usage, terminal)
    return 0
  }
  const screen = new Screen(terminal, given.json)
  try {
    return await ('app' in given ? runApp(given, terminal.env, screen) : run(given, terminal.env, screen))
  } catch (error) {
    if (error instanceof UsageError) throw error
    // The message of an unknown error may quote what was sent.
    throw new Error(`The doctor failed: ${error instanceof Error ? error.name : 'unknown error'}. Please report it.`)
  } finally {
    screen.close()
  }
}

async function run(given: DoctorArguments, env: Terminal['env'], screen: Screen): Promise<number> {
  const { appID, redirectURL, 'allow-get': allowGet, 'spend-twice': spendTwice } = given
  const appSecret = given.login ? await readSecret(env['SOCIAL_CLIENT_SECRET'], screen) : undefined
  const listener = given.login && isCatchable(redirectURL) ? await listenForCallback(redirectURL) : undefined
  try {
    if (!given.json) screen.print(`Examining ${given.baseURL.href}\n`)
    const driver = browserLogin(screen, listener, allowGet)
    const hasLogin = appID !== undefined && appSecret !== undefined
    const examination = await examine(
      {
        ...given,
        userAgent: `${USER_AGENT} (doctor)`,
        hasProxy: hasProxy(given.baseURL, env),
        login: hasLogin ? { appID, appSecret, spendTwice, driver } : undefined,
      },
      screen,
    )
    const recorded = given.record === undefined ? '' : writeRecord(given.record, examination)
    screen.print(given.json ? asJSON(examination) : recorded + conclusion(examination, hasLogin))
    return examination.isBroken ? 1 : 0
  } finally {
    listener?.close()
  }
}

async function runApp(given: AppArguments, env: Terminal['env'], screen: Screen): Promise<number> {
  const { app, timeout, json } = given
  if (!json) screen.print(`Examining ${app.href}\n`)
  const ask = asBrowser(`${USER_AGENT} (doctor)`, timeout, hasProxy(app, env))
  const { findings } = await examineApp(given, ask, screen)
  const broken = findings.some(({ level }) => level === 'broken')
  screen.print(
    json ? JSON.stringify({ version: 1, broken, findings }, undefined, 2) : `\n${summaryOf(findings)}${UNSEEN}`,
  )
  return broken ? 1 : 0
}

async function readSecret(configured: string | undefined, screen: Screen): Promise<string> {
  if (configured) return configured
  if (!screen.isInteractive) throw new UsageError('--login needs the secret: set SOCIAL_CLIENT_SECRET')
  const answer = await screen.ask('Application secret (not shown): ', true)
  if (!answer) throw new UsageError('--login needs the secret')
  return answer
}

/** Whether the environment names a proxy for an address, which is never one of this machine. */
function hasProxy({ protocol, hostname }: URL, env: Terminal['env']): boolean {
  if (isLoopback(hostname)) return false
  const variable = `${protocol.slice(0, -1)}_proxy`
  return Boolean(env[variable] || env[variable.toUpperCase()])
}

const NEXT = `

Next, the same with --login: only a login of your own shows the profile, and
overrules what was guessed.`

const UNSEEN = `

Not seen from outside: a wrong secret, a serializer that fails, a missing
passport.session(), the session's own cookie beside a CookieStore, a service
worker. Sign in once, and look for warnings in the log.`

/** @returns what it did */
function writeRecord(file: string, { mode }: Examination): string {
  const seen = Object.keys(mode).length
  if (seen === 0) return `\nNothing was seen that could be recorded: ${file} was not written.\n`
  writeFileSync(file, `${JSON.stringify(mode, undefined, 2)}\n`)
  return `\nRecorded ${count(seen, 'behaviour')} in ${file}: for "provider --mode-file ${file}", or FakeProvider.start({ mode }).\n`
}

function conclusion(examination: Examination, hasLogin: boolean): string {
  const { findings, isBroken } = examination
  const summary = summaryOf(findings)
  if (examination.options.baseURL === undefined) return `\n${summary}`
  const heading = isBroken ? 'Options to paste, once what is broken is fixed' : 'Options to paste'
  return `\n${heading}:\n\n${optionLines(examination)}\n\n${summary}${hasLogin ? '' : NEXT}`
}

function summaryOf(findings: readonly Finding[]): string {
  const of = (level: string): string => `${findings.filter((finding) => finding.level === level).length} ${level}`
  return `${count(findings.length, 'check')}: ${of('good')}, ${of('differs')}, ${of('broken')}.`
}
