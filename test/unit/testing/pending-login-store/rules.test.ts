import { RULES } from '../../../../lib/testing/pending-login-store/rules'

test('the rule of the lifetime says it in minutes', () => {
  expect(RULES.map(({ rule }) => rule)).toContain(
    'A login is kept for 10 minutes, and gone after 11; until then a consumed one stays consumed.',
  )
})
