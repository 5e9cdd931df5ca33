import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { applyMutant, type Mutant } from './rules'

const ROOT = resolve(__dirname, '../../..')
/** A copy of the package in which one compiled file at a time is changed. */
export class PackageCopy {
  readonly folder = mkdtempSync(join(tmpdir(), 'mutation-'))

  constructor() {
    // Some tests change files of the package. They may not change ours.
    cpSync(ROOT, this.folder, { recursive: true, filter: (path) => !/[\\/](\.git|node_modules)$/.test(path) })
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'), 'junction')
  }

  async with<T>(mutant: Mutant, work: () => Promise<T>): Promise<T> {
    const path = join(this.folder, 'dist/lib', `${mutant.file}.js`)
    const code = readFileSync(path, 'utf8')
    writeFileSync(path, applyMutant(mutant, code))
    try {
      return await work()
    } finally {
      writeFileSync(path, code)
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
