import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportsOf, sources } from './sources'

const root = join(__dirname, '../../..')

test('has the public interface of public-api.txt, which `npm run api` renews', () => {
  const printed = execFileSync(process.execPath, [join(root, 'tools/public-api.mjs')], { encoding: 'utf8' })
  expect(printed).toContain('class Strategy<User = Express.User> extends OAuth2Strategy')
  expect(printed).toBe(readFileSync(join(root, 'test/package/public-api.txt'), 'utf8'))
})

test.each(['index.ts', 'web/index.ts', 'testing/index.ts'])(
  'every export of lib/%s is documented with an example',
  (entry) => {
    const names = exportsOf(entry)
    const commentOf = (name: string): string => {
      const declaration = `(?=^export (?:class|interface|type|const|(?:async )?function) ${name}\\b)`
      return new RegExp(`(?:^/\\*\\*(?:(?!\\*/)[\\s\\S])*?\\*/\\n)${declaration}`, 'm').exec(sources)?.[0] ?? ''
    }
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !commentOf(name).includes('@example'))).toStrictEqual([])
  },
)
