// What must be unique and atomic: two processes on one file, each with twenty callbacks at once.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { openAccounts } from './accounts.mjs'

const FILE = 'race.db'
const ada = { provider: 'social-login', id: '12345678901234567890', displayName: 'Ada Lovelace' }

async function simultaneousLogins() {
  const accounts = await openAccounts(FILE)
  const users = await Promise.all(Array.from({ length: 20 }, () => accounts.findOrCreate(ada)))
  accounts.close()
  return users.map(({ id }) => id)
}

async function test() {
  rmSync(FILE, { force: true })
  const other = () => promisify(execFile)(process.execPath, ['accounts.test.mjs', 'as another process'])
  const outputs = await Promise.all([other(), other()])
  const ids = outputs.flatMap(({ stdout }) => JSON.parse(stdout))
  assert.deepEqual([ids.length, new Set(ids).size], [40, 1], 'one account of all')
  const [one, two] = await Promise.all([openAccounts(FILE), openAccounts(FILE)])
  const [id] = ids
  const first = { provider: ada.provider, subject: ada.id }
  // Beyond 2^53, where a number would take it for the first.
  const second = { provider: ada.provider, subject: '12345678901234567891' }
  assert.equal(await one.removeLogin(id, first), false, 'the last login stays')
  assert.deepEqual(await Promise.all([one.addLogin(id, second), two.addLogin(id, second)]), [true, true], 'added once')
  assert.deepEqual(await one.loginsOf(id), [first, second])
  const removed = await Promise.all([one.removeLogin(id, first), two.removeLogin(id, second)])
  assert.deepEqual([...removed].sort(), [false, true], 'of two removals at once one login stays')
  const [kept, gone] = removed[0] ? [second, first] : [first, second]
  const eve = await two.findOrCreate({ provider: gone.provider, id: gone.subject, displayName: 'Eve' })
  assert.notEqual(eve.id, id)
  assert.equal(await one.addLogin(eve.id, kept), false, 'a login of one account is not added to another')
  assert.deepEqual(await two.loginsOf(id), [kept])
  assert.equal(await two.removeLogin(eve.id, kept), false, 'nobody removes the login of another')
  await one.deleteUser(id)
  assert.deepEqual([await two.find(id), (await two.find(eve.id)).name], [undefined, 'Eve'])
  for (const accounts of [one, two]) accounts.close()
  rmSync(FILE)
  console.log('ok')
}

if (process.argv[2] === undefined) await test()
else console.log(JSON.stringify(await simultaneousLogins()))
