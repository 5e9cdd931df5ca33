import { writeFileSync } from 'node:fs'
import { USER_AGENT } from '../client/options'
import { UsageError } from '../command-line'
import { type DoctorArguments, readDoctorArguments, usage } from './arguments'
import { BrowserLogin } from './browser-login'
import { CallbackListener, isCatchable } from './callback-listener'
import { type DoctorInput, examine } from './doctor'
import type { Examination } from './examination'
import { Interrupted, Prompt } from './prompt'
import { asJSON, optionLines } from './report'
import { Screen } from './screen'
import { count } from './text'

// What a shell tells of a program that Ctrl+C ended.
const EXIT_INTERRUPTED = 130

/**
 * `passport-social-login doctor`.
 *
 * @returns the exit code: 0, 1 when something is broken, 130 when it was interrupted
 * @throws UsageError for wrong arguments
 */
export async function runDoctor(args: readonly string[]): Promise<number> {
  const given = readDoctorArguments(args, process.env)
  if (given === undefined) {
    console.log(usage)
    return 0
  }
  const prompt = new Prompt()
  const screen = new Screen(given.json)
  try {
    return await run(given, prompt, screen)
  } catch (error) {
    screen.clear()
    if (error instanceof Interrupted) return EXIT_INTERRUPTED
    if (error instanceof UsageError) throw error
    // The message of an unknown error may quote what was sent.
    throw new Error(`The doctor failed: ${error instanceof Error ? error.name : 'unknown error'}. Please report it.`)
  } finally {
    prompt.close()
  }
}

async function run(given: DoctorArguments, prompt: Prompt, screen: Screen): Promise<number> {
  const secret = given.login ? await readSecret(prompt) : undefined
  const listener =
    secret !== undefined && isCatchable(given.redirectURL)
      ? await CallbackListener.listen(given.redirectURL)
      : undefined
  try {
    if (!given.json) console.log(`Examining ${given.baseURL.href}\n`)
    const driver = new BrowserLogin(prompt, listener, { allowGet: given.allowGet, beforeAsking: () => screen.clear() })
    const examination = await examine(inputOf(given, secret, driver), screen)
    screen.clear()
    if (given.record !== undefined) writeRecord(given.record, examination, given.json)
    console.log(given.json ? asJSON(examination) : conclusion(examination))
    return examination.isBroken ? 1 : 0
  } finally {
    listener?.close()
  }
}

async function readSecret(prompt: Prompt): Promise<string> {
  const secret = process.env['SOCIAL_CLIENT_SECRET']
  if (secret) return secret
  if (!prompt.isInteractive) throw new UsageError('--login needs the secret: set SOCIAL_CLIENT_SECRET')
  const answer = await prompt.askHidden('Application secret (not shown): ')
  if (!answer) throw new UsageError('--login needs the secret')
  return answer
}

function inputOf(given: DoctorArguments, appSecret: string | undefined, driver: BrowserLogin): DoctorInput {
  const { baseURL, appID, redirectURL, timeout, spendTwice } = given
  const variable = `${baseURL.protocol.slice(0, -1)}_proxy`
  return {
    baseURL,
    appID,
    redirectURL,
    timeout,
    userAgent: `${USER_AGENT} (doctor)`,
    hasProxy: Boolean(process.env[variable] || process.env[variable.toUpperCase()]),
    ...(appID !== undefined &&
      appSecret !== undefined && { login: { input: { appID, appSecret, spendTwice }, driver } }),
  }
}

function writeRecord(file: string, { mode }: Examination, isQuiet: boolean): void {
  const seen = Object.keys(mode).length
  if (seen > 0) writeFileSync(file, `${JSON.stringify(mode, undefined, 2)}\n`)
  if (isQuiet) return
  if (seen === 0) console.log(`\nNothing was seen that could be recorded: ${file} was not written.`)
  else
    console.log(
      `\nRecorded ${count(seen, 'behaviour')} in ${file}: for "provider --mode-file ${file}", or FakeProvider.start({ mode }).`,
    )
}

function conclusion(examination: Examination): string {
  const { findings, isBroken } = examination
  const of = (level: string): string => `${findings.filter((finding) => finding.level === level).length} ${level}`
  const summary = `${count(findings.length, 'check')}: ${of('good')}, ${of('differs')}, ${of('broken')}.`
  if (examination.options.baseURL === undefined) return `\n${summary}`
  const heading = isBroken ? 'Options to paste, once what is broken is mended' : 'Options to paste'
  return `\n${heading}:\n\n${optionLines(examination)}\n\n${summary}`
}
