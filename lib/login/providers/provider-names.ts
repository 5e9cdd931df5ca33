import { isLoopback } from '../../client/option-values'
import { warnOnce } from '../../warnings'

/** By name, the first `baseURL` of this process: the name is the `provider` of profiles, so that one means one set of people. */
const baseURLs = new Map<string, string>()

/**
 * Warns when two providers have one name. Never an error, because a provider may have moved. Tests start a provider on a new port of
 * this machine again and again, so there a test runner's environment is excepted.
 */
export function registerName(name: string, baseURL: string): void {
  if (process.env['NODE_ENV'] === 'test' && isLoopback(new URL(baseURL).hostname)) return
  const first = baseURLs.get(name)
  if (first === undefined) baseURLs.set(name, baseURL)
  else if (first !== baseURL) warnOnce('NAME_SHARED')
}
