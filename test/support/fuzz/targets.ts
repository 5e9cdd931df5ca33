import { OWN_PATHS } from '../../../example-app/config'
import type { Random } from './random'
import { nastyHost, nastyValue } from './values'

/** Every route of the example, and some paths that are not routes. */
export const ROUTES = ['/', ...OWN_PATHS, '/auth/social-login/callback', '/nowhere', '/__proto__'] as const

const PARAMETERS = [
  'auth_key',
  'returnTo',
  'reason',
  'notice',
  'wait',
  'error',
  'state',
  'tab',
  'login',
  'decision',
] as const

/** The path and query of a request, or something that a server might parse as such. */
export function target(random: Random): string {
  const plain = mutatedPath(random, random.pick(ROUTES)) + query(random)
  if (random.chance(0.95)) return plain
  return random.choose(
    () => `http://localhost:{{port}}${plain}`,
    () => `http://${nastyHost(random)}${plain}`,
    () => `https://user:password@${nastyHost(random)}${plain}`,
    () => `//${nastyHost(random)}${plain}`,
    () =>
      random.pick([
        '*',
        'localhost:80',
        '?',
        '#',
        '/?',
        '/#auth_key=x',
        'login',
        'javascript:alert(1)',
        'http:',
        'http://',
      ]),
    () => nastyValue(random),
  )
}

function mutatedPath(random: Random, path: string): string {
  if (random.chance(0.75)) return path
  return random.choose(
    () => path.toUpperCase(),
    () => `${path}/`,
    () => path.replaceAll('/', '//'),
    () => `/./x/..${path}`,
    () => `${path}%2f..%2f`,
    () => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    () => `${path};${nastyValue(random)}`,
    () => `${path}/${nastyValue(random)}`,
    () => path.replaceAll('/', '\\'),
    () => `${path}%00`,
  )
}

function query(random: Random): string {
  if (random.chance(0.35)) return ''
  if (random.chance(0.05)) return `?${'a=b&'.repeat(random.below(2000))}`
  const pairs = Array.from({ length: 1 + random.below(4) }, () => pair(random))
  return `?${pairs.join(random.pick(['&', '&', '&', ';', '&&']))}`
}

function pair(random: Random): string {
  const name = random.chance(0.4) ? 'auth_key' : random.pick(PARAMETERS)
  const value = random.chance(0.3) ? '{{key}}' : nastyValue(random)
  return random.choose(
    () => `${name}=${value}`,
    () => `${name}=${value}`,
    () => `${name}=${value === '{{key}}' ? value : encodeURIComponent(value)}`,
    () => `${name}=${value}&${name}=${value}`,
    () => `${name}[]=${value}`,
    () => `${name}[a][b]=${value}`,
    () => `${name}.a=${value}`,
    () => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}=${value}`,
    () => `${name.toUpperCase()}=${value}`,
    () => name,
    () => `=${value}`,
    () => `${name}+=+${value}`,
    () => `${name}\0=${value}`.replace('\0', '%00'),
  )
}
