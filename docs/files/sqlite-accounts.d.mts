// The types of sqlite-accounts.mjs, which has the comments.

export interface User {
  id: string
  name: string
}

export interface Login {
  provider: string
  subject: string
}

export interface Accounts {
  find(id: string): Promise<User | undefined>
  findOrCreate(profile: { provider: string; id: string; displayName: string }): Promise<User>
  loginsOf(userID: string): Promise<Login[]>
  addLogin(userID: string, login: Login): Promise<boolean>
  removeLogin(userID: string, login: Login): Promise<boolean>
  deleteUser(id: string): Promise<void>
  close(): void
}

export function openAccounts(file: string): Accounts
export function inTransaction<Result>(db: { exec(sql: string): unknown }, work: () => Result): Result
