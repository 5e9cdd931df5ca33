// README.md#passport-social-login, block 1

declare const app: import('express').Application
declare const baseURL: string
declare const clientID: string
declare const clientSecret: string
declare const accounts: { findOrCreate(profile: import('passport-social-login').Profile): Promise<Express.User> }
