/** True if two types are identical; `any` is identical only to `any`. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only if the type is true. */
export function same<T extends boolean>(_: T): void {}

/** The options that every strategy needs. */
export const options = {
  baseURL: 'https://social.example/api/v1',
  clientID: 'id',
  clientSecret: 'secret',
  callbackURL: '/callback',
}
