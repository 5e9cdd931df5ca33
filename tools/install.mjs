// Installs what a script of package.json needs, if this folder lacks it. `npm start` needs neither the tests nor their
// tools, which are most of the packages: they are the dependencies of the workspace test/packages.
import { execSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const forStart = process.argv[2] === 'start'
// npm writes it last, so that an installation that was interrupted lacks it.
const list = 'node_modules/.package-lock.json'
const installed = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')).packages : {}
if (!(`node_modules/${forStart ? 'typescript' : 'jest'}` in installed)) {
  execSync(`npm ci${forStart ? ' --workspaces=false' : ''}`, { stdio: 'inherit' })
}
