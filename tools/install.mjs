// Installs what a script of package.json needs, if this folder lacks it. `npm start` needs neither the tests nor their
// tools, which are most of the packages: they are the dependencies of the workspace test/packages. `npm run bench` has
// its own packages.
import { execSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'

const [script] = process.argv.slice(2)
const folder = script === 'bench' ? 'bench/' : ''
// npm writes it last, so that an installation that was interrupted lacks it.
const list = `${folder}node_modules/.package-lock.json`

if (!(script === 'bench' ? isNewerThanLock() : has(script === 'start' ? 'typescript' : 'jest'))) {
  const options = { bench: ' --prefix bench', start: ' --workspaces=false' }
  execSync(`npm ci${options[script] ?? ''}`, { stdio: 'inherit' })
}

function has(name) {
  const { packages } = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : { packages: {} }
  return `node_modules/${name}` in packages
}

function isNewerThanLock() {
  return existsSync(list) && statSync(list).mtimeMs >= statSync(`${folder}package-lock.json`).mtimeMs
}
