import { textFields } from './state/users'
import type { FakeUserInput } from './types'

const rows = [
  // Id, user name, first and last name, gender, birth date, whether verified.
  ['1', 'ada', 'Ada', 'Lovelace', 'female', '1815-12-10', true],
  ['2', 'alan', 'Alan', 'Turing', 'male', '1912-06-23', false],
  ['3', 'sinead.obrien', 'Sinéad', "O'Brien", 'female', '1988-02-29', false],
  // This id is beyond 2^53: a client that parses it as a number signs in a different user.
  ['9007199254740993', 'grace', 'Grace', 'Hopper', 'female', '1906-12-09', true],
] as const

/** Has only a name. */
const newcomer: FakeUserInput = {
  ...Object.fromEntries(textFields.map((field) => [field, null])),
  user_id: '5',
  user_name: 'newcomer',
}

/** The sample users: ordinary ones, and edge cases that break careless applications. */
export const samplePeople: readonly FakeUserInput[] = [
  ...rows.map(([user_id, user_name, user_firstname, user_lastname, user_gender, user_birthdate, user_verified]) => ({
    ...{ user_id, user_name, user_firstname, user_lastname, user_gender, user_birthdate, user_verified },
    user_email: `${user_name.split('.', 1)}@people.example`,
  })),
  newcomer,
]
