import { Strategy } from 'passport'
import { createLogin } from './bare.js'

/** The two bare calls as a Passport strategy: what is above it in the tables is the price of the strategy. */
class TrivialStrategy extends Strategy {
  constructor(settings) {
    super()
    this.marks = settings.marks ?? false
    this.login = createLogin(settings)
    this.location = `${settings.providerOrigin}/api/oauth?app_id=bench`
  }

  authenticate(req) {
    const key = /auth_key=(k\d+)/.exec(req.url)?.[1]
    if (this.marks) return this.authenticateMarked(req, key)
    if (!key) return this.redirect(this.location)
    this.login(key).then((user) => this.success(user), this.error)
  }

  authenticateMarked(req, key) {
    req.session.mark = { id: 'abcdefghijklmnopqrstuv', at: Date.now(), used: key !== undefined }
    if (!key) return req.session.save(() => this.redirect(this.location))
    req.session.save(() => this.login(key).then((user) => this.success(user), this.error))
  }
}

export function createStrategy(settings) {
  return new TrivialStrategy(settings)
}
