import type { Endpoint } from '../types'

const paths: ReadonlyMap<string, Endpoint> = new Map<string, Endpoint>([
  ['/api/oauth', 'oauth'],
  ['/api/authorize', 'authorize'],
  ['/api/v1/user/me', 'user/me'],
  ['/api/get_user_info', 'get_user_info'],
])

/** The four endpoints. */
export const endpoints: readonly Endpoint[] = [...paths.values()]

/** Which of the four endpoints a path is. */
export function endpointOf(pathname: string): Endpoint | undefined {
  return paths.get(pathname)
}
