import { specification } from '../../../../lib/testing'
import { Clock } from '../../../../lib/testing/clock'
import { Grants } from '../../../../lib/testing/state/grants'

test('the requests of a token count in each hour from its issue, to the millisecond', () => {
  const now = jest.spyOn(Date, 'now').mockReturnValue(1_000_000)
  const clock = new Clock()
  const grants = new Grants({ behaviours: specification, clock, rateLimit: 1 })
  const token = grants.exchange(grants.issueKey({ appID: 'app', userID: '1' }), 'app') ?? ''
  const refusedUntil = (): unknown => grants.use(token)?.refusedUntil
  expect([refusedUntil(), refusedUntil()]).toEqual([undefined, 1_000_000 + 3_600_000])
  clock.advance(3_599_999)
  expect(refusedUntil()).toBe(1_000_000 + 3_600_000)
  clock.advance(1)
  expect([refusedUntil(), refusedUntil()]).toEqual([undefined, 1_000_000 + 7_200_000])
  now.mockRestore()
})

test('a person is shown what that person has approved, and nothing of others', () => {
  const grants = new Grants({ behaviours: specification, clock: new Clock(), rateLimit: 1 })
  for (const userID of ['1', '2']) grants.approve({ appID: `app-of-${userID}`, userID })
  expect(grants.approvalsOf('1')).toEqual([{ appID: 'app-of-1', userID: '1' }])
  expect(grants.approvalsOf('3')).toEqual([])
})
