import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(__dirname, '../../../..')

test.each(['example-app', 'test/package/docs'])('%s compiles as an ordinary application', (folder) => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  expect(spawnSync(process.execPath, [tsc, '-p', join(root, folder)], { encoding: 'utf8' }).stdout).toBe('')
})
