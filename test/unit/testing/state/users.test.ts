import { State } from '../../../../lib/testing/state/state'

test.each([[true], [{}], [[]], [null]])('a person whose user_id is %j is refused', (user_id) => {
  expect(() => new State({ users: [Object({ user_id })] })).toThrow(
    new TypeError('user_id must be a string or a number'),
  )
})

test.each(['7', 7, 7n])('a person may have a user_id as %p', (user_id) => {
  expect([...new State({ users: [{ user_id }] }).users.keys()]).toEqual(['7'])
})
