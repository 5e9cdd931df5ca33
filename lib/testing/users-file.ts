import { readFileSync } from 'node:fs'
import { textFields } from './state/users'
import type { FakeUserInput } from './types'

const FIELDS = `there are user_id, user_verified, ${textFields.join(', ')}`

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The people of a JSON file. @throws Error that names the file, the record and the field. */
export function readUsersFile(file: string): FakeUserInput[] {
  const records = parsedFile(file)
  if (!Array.isArray(records)) throw new Error(`${file} must hold an array of people`)
  return records.map((record, at) => {
    try {
      return userFrom(record)
    } catch (error) {
      throw new Error(`${file}, record ${at + 1}: ${reasonOf(error)}`)
    }
  })
}

function parsedFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} cannot be read as JSON: ${reasonOf(error)}`)
  }
}

function userFrom(record: unknown): FakeUserInput {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) throw new TypeError('must be an object')
  const input: { -readonly [Field in keyof FakeUserInput]: FakeUserInput[Field] } = {}
  for (const [name, value] of Object.entries(record)) {
    const field = textFields.find((known) => known === name)
    if (name === 'user_id') input.user_id = idFrom(value)
    else if (name === 'user_verified') input.user_verified = flagFrom(value)
    else if (field === undefined) throw new TypeError(`there is no field "${name}"; ${FIELDS}`)
    else if (value === null || typeof value === 'string') input[field] = value
    else throw new TypeError(`${name} must be a string or null`)
  }
  return input
}

function idFrom(value: unknown): string {
  if (typeof value === 'string') return value
  if (Number.isSafeInteger(value)) return String(value)
  // JSON.parse has changed the digits of a larger number already.
  throw new TypeError('user_id must be a string, or a whole number up to 2^53')
}

function flagFrom(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new TypeError('user_verified must be true or false')
}
