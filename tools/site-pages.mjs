// A plugin of TypeDoc: the pages of docs/ as pages of the site that `npm run docs` builds.
//
// - Each page gets the title of its first line, and the kind of the section of docs/README.md that lists it.
// - TypeDoc learns which ids a page has (`<a id="timeout">`), because it warns of links to all but headings.
// - Where a page names an export in backquotes, such as `Strategy`, the site links to it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const list = readFileSync(join(root, 'docs/README.md'), 'utf8')
const HEADING = /^# (.+)\n+/

/** The kind of each page, by its path from the root. */
const kinds = new Map([['docs/README.md', 'Start']])
for (const section of list.split(/^## /m).slice(1)) {
  const [kind] = section.split('\n', 1)
  for (const [, path] of section.matchAll(/\]\(([^)#]+\.md)[)#]/g)) kinds.set(join('docs', path), kind)
}

export function load(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    // The site shows its own name above the README.
    const [first] = project.readme
    first.text = first.text.replace(HEADING, '')
    const modules = project.children ?? []
    const exports = new Map(modules.flatMap(({ children = [] }) => children.map((child) => [child.name, child])))
    project.readme = linkExports(project.readme, exports)
    for (const page of project.documents ?? []) {
      describePage(page, project.files.getReflectionPath(page).slice(root.length + 1))
      page.content = linkExports(page.content, exports)
    }
  })
  app.renderer.on('beginPage', ({ model }) => {
    const text = model.content?.map((part) => part.text).join('') ?? ''
    for (const [, id] of text.matchAll(/<a id="(.+?)">/g)) app.renderer.router.getSlugger(model).slug(id)
  })
}

function describePage(page, path) {
  const [, title] = HEADING.exec(readFileSync(join(root, path), 'utf8')) ?? []
  const kind = kinds.get(path)
  if (title === undefined || kind === undefined) throw new Error(`${path} has no title, or is not in docs/README.md`)
  page.name = title.replaceAll('`', '')
  page.frontmatter = { group: kind }
}

/** Not within the text of another link, where HTML allows none. */
function linkExports(parts, exports) {
  let line = ''
  return parts.map((part, index) => {
    line = (line + part.text).split('\n').at(-1)
    const name = part.kind === 'code' ? part.text.slice(1, -1) : ''
    // TypeDoc makes the anchor of a heading without the code in it.
    if (name !== '' && line.startsWith('#')) return { kind: 'text', text: name }
    const target = parts[index - 1]?.text.endsWith('[') ? undefined : exports.get(name)
    return target ? { kind: 'inline-tag', tag: '@linkcode', text: name, target } : part
  })
}
