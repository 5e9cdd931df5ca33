// NestJS in plain JavaScript: decorators are functions.
import 'reflect-metadata'
import { Controller, Get, Injectable, Module, Req, Res, UseFilters, UseGuards } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AuthGuard, PassportSerializer, PassportStrategy } from '@nestjs/passport'
import session from 'express-session'
import passport from 'passport'
import { SocialLoginError, Strategy } from 'passport-social-login'
import { play } from './driver.cjs'

const decorate = (target, name, ...decorators) => {
  for (const apply of decorators) apply(target.prototype, name, Object.getOwnPropertyDescriptor(target.prototype, name))
}

await play(async (provider) => {
  class SocialLoginStrategy extends PassportStrategy(Strategy) {
    constructor() {
      super({ ...provider, callbackURL: '/callback' })
    }
    validate(_accessToken, _refreshToken, profile) {
      return { name: profile.displayName }
    }
  }
  Injectable()(SocialLoginStrategy)

  class Serializer extends PassportSerializer {
    serializeUser(user, done) {
      done(null, user)
    }
    deserializeUser(user, done) {
      done(null, user)
    }
  }
  Injectable()(Serializer)

  // docs/guides/frameworks.md#nestjs, block 1
  Injectable()(LoginGuard)

  const failures = {
    catch(error, host) {
      const response = host.switchToHttp().getResponse()
      if (error instanceof SocialLoginError) response.sendStatus(error.status)
      else response.redirect('/login')
    },
  }

  class AppController {
    start() {}
    callback(response) {
      response.redirect('/me')
    }
    me(request, response) {
      if (request.user) response.send(request.user.name)
      else response.sendStatus(401)
    }
  }
  decorate(AppController, 'start', Get('auth'), UseGuards(LoginGuard))
  decorate(AppController, 'callback', Get('callback'), UseGuards(LoginGuard), UseFilters(failures))
  decorate(AppController, 'me', Get('me'))
  Res()(AppController.prototype, 'callback', 0)
  Req()(AppController.prototype, 'me', 0)
  Res()(AppController.prototype, 'me', 1)
  Controller()(AppController)

  class AppModule {}
  Module({ controllers: [AppController], providers: [SocialLoginStrategy, Serializer, LoginGuard] })(AppModule)

  const app = await NestFactory.create(AppModule, { logger: false })
  app.use(session({ secret: 'secret', resave: false, saveUninitialized: false }), passport.session())
  await app.listen(0, '127.0.0.1')
  return app.getHttpServer()
})
