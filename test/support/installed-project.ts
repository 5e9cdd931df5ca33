import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../..')

/** Makes a folder of a project in which the package is installed, and what it needs. @returns its path */
export function makeInstalledProject(name: string): string {
  const folder = mkdtempSync(join(root, 'dist', `${name}-`))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules', 'passport-social-login'))
  writeFileSync(join(folder, 'package.json'), '{}')
  return folder
}
