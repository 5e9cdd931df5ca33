import type { FakeUserInput } from './types'

/** The sample people: ordinary ones, and edge cases that break careless applications. */
export const samplePeople: readonly FakeUserInput[] = [
  {
    user_id: '1',
    user_name: 'ada',
    user_email: 'ada@people.example',
    user_firstname: 'Ada',
    user_lastname: 'Lovelace',
    user_gender: 'female',
    user_birthdate: '1815-12-10',
    user_verified: true,
  },
  {
    user_id: '2',
    user_name: 'alan',
    user_email: 'alan@people.example',
    user_firstname: 'Alan',
    user_lastname: 'Turing',
    user_gender: 'male',
    user_birthdate: '1912-06-23',
  },
  {
    user_id: '3',
    user_name: 'sinead.obrien',
    user_email: 'sinead@people.example',
    user_firstname: 'Sinéad',
    user_lastname: "O'Brien",
    user_gender: 'female',
    user_birthdate: '1988-02-29',
  },
  {
    // Beyond 2^53: a client that parses it as a number signs in a different person.
    user_id: '9007199254740993',
    user_name: 'grace',
    user_email: 'grace@people.example',
    user_firstname: 'Grace',
    user_lastname: 'Hopper',
    user_gender: 'female',
    user_birthdate: '1906-12-09',
    user_verified: true,
  },
  {
    // Has only a name.
    user_id: '5',
    user_name: 'newcomer',
    user_email: null,
    user_firstname: null,
    user_lastname: null,
    user_gender: null,
    user_birthdate: null,
    user_picture: null,
    user_cover: null,
  },
]
