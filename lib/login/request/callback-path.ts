/** Whether two paths are the same to Express, which by default ignores their case and a slash at their end. */
export function isSamePath(a: string, b: string): boolean {
  return plainPath(a) === plainPath(b)
}

/**
 * Whether a path is the callback's, or its end, as behind a proxy that strips a prefix. A key at any other path is not
 * exchanged, because applications limit guesses at the callback, not at the start.
 */
export function isCallbackSuffix(path: string, callbackPath: string, isCaseSensitive = false): boolean {
  const plain = isCaseSensitive ? withoutLastSlashes : plainPath
  const [arrived, expected] = [plain(path), plain(callbackPath)]
  return arrived === expected || (arrived !== '' && expected.endsWith(arrived))
}

/** A path in lower case without its last slashes. */
export function plainPath(path: string): string {
  return withoutLastSlashes(path).toLowerCase()
}

/** Without a pattern: /\/+$/ would take quadratic time to find them. */
export function withoutLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}
