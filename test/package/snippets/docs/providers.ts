// Is compiled, but not run.
import type { Application } from 'express'
import passport from 'passport'
import { type Provider, Strategy, type VerifyFunction } from 'passport-social-login'
import { SocialLogin } from 'passport-social-login/web'

declare const app: Application
declare const origin: string
declare const keys: string[]
declare const verify: VerifyFunction
declare const communities: {
  find(name: string | undefined): Promise<Provider | undefined>
}

export function byPath(): void {
  // docs/guides/several-providers.md#many-with-one-strategy, block 1
}

export function onTheWeb(): SocialLogin {
  // docs/guides/several-providers.md#many-with-one-strategy, block 2
  return login
}
