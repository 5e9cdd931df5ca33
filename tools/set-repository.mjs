// Writes the address of the repository where npm and readers look for it. It may be run again with another address.
//
//   node tools/set-repository.mjs https://github.com/OWNER/NAME
//
// package.json gets `repository`, `homepage` and `bugs`. The pictures of the README, which npm's site shows as well,
// get whole addresses; those that only the README shows then need not be in the package.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [address = ''] = process.argv.slice(2)
if (!/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+(?<!\.git)$/.test(address)) {
  console.error('Usage: node tools/set-repository.mjs https://github.com/OWNER/NAME')
  process.exit(2)
}

const root = join(import.meta.dirname, '..')
const rewrite = (name, change) => {
  const file = join(root, name)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}

rewrite('package.json', (text) => {
  const manifest = JSON.parse(text)
  manifest.repository = { type: 'git', url: `git+${address}.git` }
  manifest.homepage = `${address}#readme`
  manifest.bugs = `${address}/issues`
  manifest.files = manifest.files.filter((path) => !path.startsWith('example-app/screenshots/'))
  return `${JSON.stringify(manifest, null, 2)}\n`
})

const PICTURE = /(!\[[^\]]*\]\(|<img src=")(?:https:\/\/github\.com\/[^)"]*\/raw\/HEAD\/)?([\w/.-]+\.(?:png|svg))/g
rewrite('README.md', (text) => text.replaceAll(PICTURE, `$1${address}/raw/HEAD/$2`))
