import { mayBeOptions, typeName } from '../../values'
import type { FakeUser, FakeUserInput } from '../types'
import { Registry } from './registry'

/** The text fields of a user, which may be null, in the order of the specification. */
export const textFields = [
  'user_name',
  'user_email',
  'user_firstname',
  'user_lastname',
  'user_gender',
  'user_birthdate',
  'user_picture',
  'user_cover',
] as const

function idOf(value: unknown): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError('user_id: a number must be whole, with no digits lost beyond 2^53; give a string or a bigint')
  }
  if (!['string', 'number', 'bigint'].includes(typeof value))
    throw new TypeError('user_id must be a string or a number')
  const id = String(value)
  if (id === '' || id.length > 200) throw new RangeError('user_id must have 1 to 200 characters')
  return id
}

function defaultsFor(id: string): FakeUser {
  const inURL = encodeURIComponent(id)
  return {
    user_id: id,
    user_name: `person${id}`,
    user_email: `person${inURL}@people.example`,
    user_firstname: 'Person',
    user_lastname: id,
    user_gender: 'female',
    user_birthdate: '1990-01-01',
    user_picture: `/pictures/${inURL}.svg`,
    user_cover: `/covers/${inURL}.svg`,
    user_verified: false,
  }
}

export class Users extends Registry<FakeUser> {
  private _nextID = 1

  constructor() {
    super('user with this user_id')
  }

  add(input: FakeUserInput = {}): FakeUser {
    const given = definedOnly(input)
    const id = input.user_id === undefined ? this._freeID() : idOf(input.user_id)
    if (this.has(id)) throw new RangeError('user_id is already taken by another user')
    return this.store(id, { ...defaultsFor(id), ...given, user_id: id })
  }

  update(userID: string, changes: FakeUserInput): FakeUser {
    const before = this.existing(userID)
    return this.store(userID, { ...before, ...definedOnly(changes), user_id: userID })
  }

  private _freeID(): string {
    while (this.has(String(this._nextID))) this._nextID += 1
    const id = String(this._nextID)
    // Ids are never reused, even after removal: tokens and sessions of that user may still be valid.
    this._nextID += 1
    return id
  }
}

/** The fields that were given: `undefined` must not overwrite a default. */
function definedOnly(input: FakeUserInput): Partial<Omit<FakeUser, 'user_id'>> {
  if (!mayBeOptions(input)) throw new TypeError(`a user must be an object, not ${typeName(input)}`)
  const known: readonly string[] = ['user_id', 'user_verified', ...textFields]
  const unknown = Object.keys(input).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new TypeError(`there is no field "${unknown}"; there are ${known.join(', ')}`)
  const text: Partial<Record<(typeof textFields)[number], string | null>> = {}
  for (const field of textFields) {
    const value = input[field]
    if (value === undefined) continue
    if (value !== null && typeof value !== 'string') throw new TypeError(`${field} must be a string or null`)
    text[field] = value
  }
  if (input.user_verified === undefined) return text
  if (typeof input.user_verified !== 'boolean') throw new TypeError('user_verified must be a boolean')
  return { ...text, user_verified: input.user_verified }
}
