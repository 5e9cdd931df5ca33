import { createHash } from 'node:crypto'

/** The sources that a policy must name for the inline styles and scripts of a page. */
export function hashesIn(html: string): { readonly styles: string; readonly scripts: string } {
  return { styles: hashesOf(html.matchAll(/<style>([^<]*)</g)), scripts: hashesOf(html.matchAll(/<script>([^<]*)</g)) }
}

function hashesOf(matches: Iterable<RegExpExecArray>): string {
  const hashes = Array.from(matches, ([, source = '']) => createHash('sha256').update(source).digest('base64'))
  return hashes.map((hash) => `'sha256-${hash}'`).join(' ')
}
