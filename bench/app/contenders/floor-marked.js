import { TrivialStrategy } from './floor-express.js'

/**
 * The trivial strategy with a mark in the session that its start sets and its callback marks as used, saved before the
 * exchange: what a session costs any strategy that can tell its own callback. It compares nothing.
 */
class MarkingStrategy extends TrivialStrategy {
  authenticate(req) {
    const used = req.url.includes('auth_key=')
    req.session.mark = { at: req.session.mark?.at ?? Date.now(), used }
    req.session.save((error) => (error ? this.error(error) : super.authenticate(req)))
  }
}

export function createStrategy(settings) {
  return new MarkingStrategy(settings)
}
