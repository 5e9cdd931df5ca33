// What the examples in doc comments take for granted: the application around them.
import type { IncomingMessage } from 'node:http'
import type { Express as ExpressApp, Request as ExpressRequest } from 'express'
import type { PassportStatic } from 'passport'
import type {
  Assurance,
  PendingLogin,
  PendingLoginStore,
  Profile,
  Provider,
  SocialLoginClient,
  SocialLoginError,
  Strategy,
  StrategyOptions,
  VerifyCallback,
  VerifyFunction,
} from 'passport-social-login'
import type { FakeProvider, SendRequest } from 'passport-social-login/testing'
import type { FailureResult, ResponseResult, SuccessResult } from 'passport-social-login/web'
import type { Agent, Test } from 'supertest'

declare global {
  namespace Express {
    interface User {
      id: string
      ip?: string | undefined
      token?: string
      lifetime?: unknown
    }
  }

  const app: ExpressApp
  const hono: { request: SendRequest }
  const passport: PassportStatic
  const req: ExpressRequest
  const users: {
    find(id: string): Promise<Express.User | undefined>
    findOrCreate(account: { provider: string; id: string; displayName?: string }): Promise<Express.User>
    link(user: Express.User | undefined, id: string): Promise<Express.User>
  }
  const logins: {
    insert(cookie: string, record: PendingLogin): Promise<void>
    find(cookie: string): Promise<PendingLogin | undefined>
    markConsumed(cookie: string, id: string): Promise<{ changedRows: number }>
    delete(cookie: string): Promise<void>
  }
  const providers: { find(name: unknown): Promise<Provider | undefined> }
  const OwnStore: new (storage: object) => PendingLoginStore
  const database: object
  const server: { halt(): Promise<void>; resume(): Promise<void> }
  const test: (title: string, run: () => Promise<void>) => void
  const cache: { has(key: string): boolean }
  const histogram: { record(value: number, attributes: object): void }
  const alert: (message: string) => void
  const startBrowserCookie: (req: IncomingMessage) => string
  const browserCookie: (req: IncomingMessage) => string
  const escapeHTML: (text: string) => string

  const clientID: string
  const clientSecret: string
  const newKey: string
  const oldKey: string
  const session: { userID: string } | undefined
  const startSession: (profile: Profile) => Promise<string>
  const success: SuccessResult
  const failure: FailureResult
  const step: ResponseResult
  const accessToken: string
  const authKey: string
  const appID: string

  const options: StrategyOptions
  const strategy: Strategy
  const verify: VerifyFunction
  const done: VerifyCallback
  const store: PendingLoginStore
  const assurance: Assurance
  const profile: Profile
  const client: SocialLoginClient
  const error: SocialLoginError
  const provider: FakeProvider
  const browser: Agent
  const supertest: { (app: ExpressApp): { get(path: string): Test }; agent(app: ExpressApp): Agent }
  const expect: (value: unknown) => { toHaveLength(length: number): void }
}
