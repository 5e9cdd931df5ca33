/** The URL, or undefined for what is none. Unlike `URL.canParse` before `new URL`, a good one is parsed only once. */
export function parseURL(value: string, base?: string): URL | undefined {
  try {
    return new URL(value, base)
  } catch {
    return undefined
  }
}
