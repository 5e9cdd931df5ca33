import { Owners } from '../../../../lib/login/providers/owners'

test('who claims first is the owner, and a later claim of another changes nothing', () => {
  const owners = new Owners()
  owners.claim('chess', 'https://chess.example')
  owners.claim('chess', 'https://evil.example')
  expect(owners.isTaken('chess', 'https://chess.example')).toBe(false)
  expect(owners.isTaken('chess', 'https://evil.example')).toBe(true)
  expect(owners.isTaken('other', 'https://evil.example')).toBe(false)
})

test('of more than ten thousand, the one that was claimed longest ago is forgotten', () => {
  const owners = new Owners()
  for (let index = 1; index <= 10_000; index++) owners.claim(`${index}`, 'a')
  owners.claim('1', 'a')
  expect(['1', '2', '3'].map((key) => owners.isTaken(key, 'b'))).toStrictEqual([true, true, true])
  owners.claim('10001', 'a')
  expect(['1', '2', '3'].map((key) => owners.isTaken(key, 'b'))).toStrictEqual([true, false, true])
})
