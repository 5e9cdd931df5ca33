import { BoundedMap } from '../../../../lib/testing/state/bounded-map'

test('of more than ten thousand entries, the oldest are forgotten', () => {
  const map = new BoundedMap<number>()
  for (let number = 1; number <= 10_000; number += 1) map.set(String(number), number)
  expect([map.size, map.has('1')]).toEqual([10_000, true])
  map.set('10001', 10_001)
  expect([map.size, map.has('1'), map.has('2'), map.has('10001')]).toEqual([10_000, false, true, true])
})
