import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import cookieSession from 'cookie-session'
import express, { type Application, type ErrorRequestHandler, type RequestHandler, type Router } from 'express'
import { EncryptJWT, jwtDecrypt } from 'jose'
import passport, { type Authenticator, type PassportStatic } from 'passport'
import {
  CookieStore,
  type OutcomeCode,
  onPhaseEnd,
  type Profile,
  SocialLoginClient,
  SocialLoginError,
  Strategy,
  type StrategyOptions,
  toProfile,
  type VerifyFunction,
} from 'passport-social-login'
import { FakeProvider, type ProviderMode, signIn } from 'passport-social-login/testing'
import type { HttpLogger, Options } from 'pino-http'
import { EnvHttpProxyAgent } from 'undici'
import { authenticateLimited } from './limit-guesses'
import type { Account } from './linking'

type User = Express.User

export function sessionFirst(app: Application, strategy: Pick<Strategy, 'pendingLogin'>): void {
  // docs/guides/without-session.md#while-the-session-store-is-unavailable, block 1
}

export function cookieSessions(app: Application, passport: Pick<Authenticator, 'session'>, SESSION_KEY: string): void {
  // docs/guides/without-session.md#cookie-session, block 1
}

export function errorHandling(app: Application): void {
  // docs/errors.md#handling-errors, block 1
}

export function requestLogging(app: Application, pinoHttp: (options: Options) => HttpLogger): void {
  // docs/operations.md#logging, block 1
}

export function reasons(app: Application): void {
  // docs/guides/return-and-messages.md#telling-users-why, block 1
}

export function returnTo(app: Application): void {
  // docs/guides/return-and-messages.md#back-to-the-page-they-came-from, block 1
}

export function returnToOrRedirect(app: Application): void {
  // docs/guides/return-and-messages.md#back-to-the-page-they-came-from, block 2
}

export function notFinished(app: Application, options: StrategyOptions, verify: VerifyFunction): void {
  // docs/guides/return-and-messages.md#you-did-not-finish-signing-in, block 1
}

export function limitGuessing(app: Application): void {
  // docs/guides/limiting-guesses.md#limiting-guesses, block 1
}

export function requiredOptions(SOCIAL_CLIENT_ID: string, SOCIAL_CLIENT_SECRET: string, verify: VerifyFunction): void {
  // docs/options.md#options, block 1
}

export function unsafeLinking(
  app: Application,
  requireUser: RequestHandler,
  link: (user?: User, account?: Account) => Promise<void>,
): void {
  // docs/guides/linking.md#what-the-two-routes-alone-lack, block 1
}

interface LinkingOptions {
  readonly options: StrategyOptions
  readonly LINK_CLIENT_ID: string
  readonly LINK_CLIENT_SECRET: string
}

interface Logins {
  addLogin(userID: string, login: { provider: string; subject: string }): Promise<boolean>
}

/** `linkRoutes` of an application whose user has an id. */
type LinkRoutes = (
  passport: PassportStatic,
  options: StrategyOptions,
  userIDOf: (user: { id: string }) => string,
  link: (userID: string, account: Account) => Promise<boolean>,
) => Router

export function linking(
  app: Application,
  linkRoutes: LinkRoutes,
  { options, LINK_CLIENT_ID, LINK_CLIENT_SECRET }: LinkingOptions,
  accounts: Logins,
): void {
  // docs/guides/linking.md#the-file-to-copy, block 1
}

export function assurance(app: Application): void {
  // docs/guides/asking-after-a-login.md#asking-after-a-login, block 1
}

export function singlePage(app: Application): void {
  // docs/guides/single-page.md#single-page-applications-and-popups, block 3
}

export async function client(baseURL: string, clientID: string, clientSecret: string, authKey: string) {
  // docs/client.md#the-client, block 1
  return user
}

export function storedTokens(baseURL: string, clientID: string, clientSecret: string, TOKEN_KEY: string) {
  // docs/guides/access-token.md#keeping-it-sealed, block 1
  // docs/guides/access-token.md#reading-the-profile-again, block 1
  return { seal, reloadProfile, client }
}

export async function startRecorded(file: string) {
  // docs/connecting.md#4-test-against-your-providers-ways, block 1
  return provider
}

export async function signedIn(app: Application, provider: FakeProvider): Promise<string> {
  // docs/guides/testing.md#testing-your-application, block 1
  return cookie
}

declare const common: StrategyOptions
declare const first: StrategyOptions
declare const second: StrategyOptions
declare const verify: VerifyFunction
declare const LOGIN_COOKIE_KEY: string
declare const metrics: { observe(name: string, value: number, labels: object): void }
declare function callApplication(app: object, authKey: string): Promise<void>

/** Is compiled, but not run. */
export async function compiled(): Promise<void> {
  // docs/diagnostics.md#channels, block 1
  // docs/fake-provider.md#the-fake-provider, block 1
  // docs/operations.md#proxies-and-private-certificates, block 1
  // docs/guides/without-session.md#logins-without-a-session-or-with-a-strict-one, block 1
  // docs/guides/without-session.md#logins-without-a-session-or-with-a-strict-one, block 2
  // docs/guides/several-providers.md#a-few-each-with-a-strategy, block 1
}
