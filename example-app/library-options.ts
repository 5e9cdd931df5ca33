import { Strategy } from 'passport-social-login'

const GOOD = {
  baseURL: 'https://social.example/api/v1',
  clientID: 'app',
  clientSecret: 'secret',
  callbackURL: '/auth/social-login/callback',
}

export type LibraryOption = keyof typeof GOOD

/**
 * What the library says of one option, with the name of the variable in place of the option's. It is asked for each
 * alone, because it throws at the first that is wrong; its messages never show a value.
 */
export function libraryProblem(option: LibraryOption, variable: string, value: string): string | undefined {
  try {
    new Strategy({ ...GOOD, [option]: value }, () => {})
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : 'cannot be used'
    return `${variable} ${message.startsWith(`${option} `) ? message.slice(option.length + 1) : message}.`
  }
}
