import type { Request } from 'express'
import { Strategy as OAuth2Strategy } from 'passport-oauth2'
import type { Dispatcher } from 'undici'
import type { Application, FakeProvider } from '../../../lib/testing'

/** Options of a naive strategy. */
export interface NaiveOptions {
  readonly name: string
  readonly provider: FakeProvider
  readonly application: Application
  readonly callbackURL: string
  readonly dispatcher: Dispatcher
}

/**
 * A typical client of this protocol: passport-oauth2 with `auth_key` instead of `code`, a custom exchange, and no
 * `state`, because the provider does not echo it. Every attack must succeed here first.
 */
export class NaiveStrategy extends OAuth2Strategy {
  private readonly _options: NaiveOptions

  constructor(options: NaiveOptions) {
    const { application, callbackURL, provider } = options
    super(
      {
        authorizationURL: `${provider.oauthBase}/oauth?app_id=${application.appID}`,
        tokenURL: `${provider.oauthBase}/authorize`,
        clientID: application.appID,
        clientSecret: application.appSecret,
        callbackURL,
      },
      () => {},
    )
    this.name = options.name
    this._options = options
  }

  override authenticate(req: Request, options?: object): void {
    const { auth_key: code, error } = req.query
    if (code === undefined || error !== undefined) return super.authenticate(req, options)
    this._logIn(String(code)).then(
      (user) => this.success(user, {}),
      (failure) => this.error(failure),
    )
  }

  private async _logIn(code: string): Promise<{ id: string }> {
    const { appID, appSecret } = this._options.application
    const form = new URLSearchParams({ app_id: appID, app_secret: appSecret, auth_key: code })
    const token = await this._ask('POST', '/api/authorize', {}, form.toString())
    const user = await this._ask('GET', '/api/v1/user/me', { authorization: `Bearer ${token['access_token']}` })
    return { id: `${this.name}:${user['user_id']}` }
  }

  private async _ask(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Record<string, unknown>> {
    const { dispatcher, provider } = this._options
    const type = body === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
    const response = await dispatcher.request({
      origin: provider.origin,
      path,
      method,
      headers: { 'content-type': type, ...headers },
      ...(body !== undefined && { body }),
    })
    const answer = await response.body.text()
    if (response.statusCode !== 200) throw new Error(`The provider says: ${answer}`)
    return JSON.parse(answer)
  }
}
