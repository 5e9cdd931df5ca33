import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../..')

test('the public interface is that of public-api.txt, which `npm run api` renews', () => {
  const printed = execFileSync(process.execPath, [join(root, 'tools/public-api.mjs')], { encoding: 'utf8' })
  expect(printed).toContain('class Strategy extends OAuth2Strategy')
  expect(printed).toBe(readFileSync(join(root, 'test/package/public-api.txt'), 'utf8'))
})
