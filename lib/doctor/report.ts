import type { Examination, SuggestedOptions } from './examination'
import { printable } from './text'

/** The options to paste into the application, as code. */
export function optionLines(examination: Examination): string {
  const { baseURL, clientID, callbackURL, proxied, ...others } = harmless(examination.options, examination)
  const lines = [
    `baseURL: ${baseURL === undefined ? 'process.env.SOCIAL_BASE_URL' : code(baseURL)},`,
    `clientID: ${clientID === undefined ? 'process.env.SOCIAL_CLIENT_ID' : code(clientID)},`,
    'clientSecret: process.env.SOCIAL_CLIENT_SECRET,',
    `callbackURL: ${callbackURL === undefined ? "'/auth/social-login/callback', // as you registered it" : `${code(callbackURL)},`}`,
    ...Object.entries(others).map(([name, value]) => `${name}: ${code(value)},`),
    ...(proxied ? ["dispatcher: new EnvHttpProxyAgent(), // from 'undici'"] : []),
  ]
  return ['new Strategy({', ...lines.map((line) => `  ${line}`), '}, verify)'].join('\n')
}

/** Everything for a program: the findings, the options, and the recorded behaviours. */
export function asJSON(examination: Examination): string {
  const { findings, mode } = examination
  const options = harmless(examination.options, examination)
  return JSON.stringify({ version: 1, broken: examination.isBroken, findings, options, mode }, undefined, 2)
}

function harmless(options: SuggestedOptions, examination: Examination): SuggestedOptions {
  const entries = Object.entries(options).filter(([, value]) => examination.isHarmless(JSON.stringify(value)))
  return Object.fromEntries(entries)
}

/** A value as JavaScript, in visible ASCII. */
function code(value: unknown): string {
  return typeof value === 'string'
    ? `'${printable(value).replace(/[\\']/g, '\\$&')}'`
    : printable(JSON.stringify(value))
}
